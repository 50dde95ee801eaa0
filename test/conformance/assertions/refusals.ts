import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { sendRequest } from '../pipeline/send-request.ts'
import { traitVariants } from '../pipeline/trait-variants.ts'
import type { Recording } from '../recordings/recording.ts'
import { tally } from '../report/tally.ts'
import { type Case, of } from './assertion.ts'
import { expectedRefusals } from './expected-refusals.ts'

/** A request that the live API accepted is rejected only for a known reason, and the error names the field. */
export function refusals(recordings: readonly Recording[]): Case[] {
  return protocolNames.flatMap((client) =>
    protocolNames.map((upstream) => ({
      name: `refusals are the expected ones (${client} → ${upstream})`,
      run: (judge) => {
        for (const recording of of(recordings, client)) {
          judge.check(recording.name, () => refusalProblems(recording, upstream))
        }
      },
    })),
  )
}

function refusalProblems(recording: Recording, upstream: ProtocolName): string[] {
  return traitVariants[upstream].flatMap((traits) => {
    const sending = sendRequest(recording, upstream, traits)
    if (sending?.type !== 'refused') return []
    const { param, message } = sending
    if (param === '') return [`a refusal that names no field: ${message}`]
    const expected = expectedRefusals.find(
      (each) =>
        each.param.test(param) &&
        each.message.test(message) &&
        (each.upstreams ?? protocolNames).includes(upstream),
    )
    if (expected) tally(`refused: ${expected.why}`)
    // A request that the live API rejected as well needs no known reason.
    if (expected || recording.status >= 400) return []
    return [`refused ${param}: ${message}`]
  })
}
