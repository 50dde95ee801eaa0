import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { type Sending, sendRequest } from '../pipeline/send-request.ts'
import { traitVariants } from '../pipeline/trait-variants.ts'
import type { Recording } from '../recordings/recording.ts'
import { type Case, of } from './assertion.ts'

export type Sent = Extract<Sending, { type: 'sent' }>

/** The problems of a request as the upstream gets it. */
export type RequestRule = (
  sent: Sent,
  upstream: ProtocolName,
  recording: Recording,
) => readonly string[]

/** One test for each pair: every recorded request, to every kind of model. */
export function requestCases(
  recordings: readonly Recording[],
  name: string,
  upstreams: readonly ProtocolName[],
  rule: RequestRule,
): Case[] {
  return upstreams.flatMap((upstream) =>
    protocolNames.map((client) => ({
      name: `${name} (${client} → ${upstream})`,
      run: (judge) => {
        for (const recording of of(recordings, client)) {
          for (const [variant, traits] of traitVariants[upstream].entries()) {
            judge.check(`${recording.name} #${variant}`, () => {
              const sending = sendRequest(recording, upstream, traits)
              return sending?.type === 'sent' ? rule(sending, upstream, recording) : []
            })
          }
        }
      },
    })),
  )
}
