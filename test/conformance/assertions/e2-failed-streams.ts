import { Fault } from '../../../src/core/fault.ts'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { decodeRecording } from '../pipeline/decode-stream.ts'
import { encodeStream, translateReply } from '../pipeline/translate-reply.ts'
import { readSse } from '../read-sse.ts'
import type { Recording } from '../recordings/recording.ts'
import { type Case, goodRepliesOf, isFaultReply, repliesOf } from './assertion.ts'
import { faultFormProblems } from './fault-form.ts'

/**
 * E2: a reply that fails after its first byte ends with the error format of the client's protocol, and never cleanly.
 */
export function e2FailedStreams(recordings: readonly Recording[]): Case[] {
  const failed = protocolNames.flatMap((name) => repliesOf(recordings, name).filter(isFaultReply))
  return protocolNames.flatMap((client) => [
    {
      name: `E2 recorded failures → ${client}: the error format, with the upstream’s message`,
      run: (judge) => {
        for (const recording of failed) {
          judge.check(recording.name, () => recordedProblems(recording, client))
        }
      },
    },
    {
      name: `E2 a fault after any event → ${client}: the error format`,
      run: (judge) => {
        for (const upstream of protocolNames) {
          for (const recording of goodRepliesOf(recordings, upstream)) {
            judge.check(recording.name, () => middleProblems(recording, client))
          }
        }
      },
    },
    {
      name: `E2 ${client}: the fault event alone has the same format`,
      run: (judge) => {
        judge.check('fault event', () => aloneProblems(client))
      },
    },
  ]) satisfies Case[]
}

function recordedProblems(recording: Recording, client: ProtocolName): string[] {
  const last = decodeRecording(recording).at(-1)
  if (last?.type !== 'fault') return [`decodes to ${last?.type}`]
  const { fault } = last
  const problems: string[] = []
  if (fault.message === '') problems.push('the fault has no message')
  if (!recording.reply.text.includes(JSON.stringify(fault.message).slice(1, -1))) {
    problems.push(`the upstream did not say ${JSON.stringify(fault.message)}`)
  }
  const text = encodeStream(translateReply(recording, client))
  return [...problems, ...faultFormProblems(client, text, fault.message)]
}

const cutShort = new Fault(
  'upstream_error',
  'The upstream ended the stream before it was complete. Try again.',
)

function middleProblems(recording: Recording, client: ProtocolName): string[] {
  const reply = translateReply(recording, client)
  // Each recording fails at one position; all recordings together cover every position.
  const at = 1 + (recording.name.length % Math.max(1, reply.events.length - 1))
  const events = [
    ...reply.events.slice(0, at).filter(({ type }) => type !== 'reply-end'),
    { type: 'fault', fault: cutShort } as const,
  ]
  return faultFormProblems(client, encodeStream({ ...reply, events }), cutShort.message)
}

function aloneProblems(client: ProtocolName): string[] {
  const text = protocols[client].encodeFaultEvent(cutShort, 'req_1')
  const events = readSse(text)
  if (events.length === 0) return [`no event: ${text}`]
  // The responses protocol ends with a second event, which needs the state of the encoder.
  if (client === 'responses') return events[0]?.event === 'error' ? [] : [`${text.slice(0, 200)}`]
  return faultFormProblems(client, text, cutShort.message)
}
