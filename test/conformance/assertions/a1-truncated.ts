import { Fault } from '../../../src/core/fault.ts'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { checkEventOrder } from '../check-event-order.ts'
import { bytesOf, decodePieces } from '../pipeline/decode-stream.ts'
import { randomBelow } from '../pipeline/random-cuts.ts'
import { encodeStream, translateReply } from '../pipeline/translate-reply.ts'
import type { Recording } from '../recordings/recording.ts'
import { tally } from '../report/tally.ts'
import { type Case, isFaultReply, repliesOf } from './assertion.ts'
import { faultFormProblems } from './fault-form.ts'

const cutsPerStream = 2

/** A stream that closes before its terminator is never given a clean end, in any protocol (10.6). */
export function a1Truncated(recordings: readonly Recording[]): Case[] {
  return protocolNames.flatMap((upstream) =>
    protocolNames.map((client) => ({
      name: `A1 ${upstream} → ${client}: a truncated stream does not end cleanly`,
      run: (judge) => {
        for (const recording of repliesOf(recordings, upstream)) {
          if (recording.reply.form !== 'stream' || isFaultReply(recording)) continue
          for (let round = 0; round < cutsPerStream; round += 1) {
            judge.check(recording.name, () => truncatedProblems(recording, client))
          }
        }
      },
    })),
  )
}

function truncatedProblems(recording: Recording, client: ProtocolName): string[] {
  const bytes = bytesOf(recording.reply.text)
  const end = terminatorStart(recording)
  const at = 1 + randomBelow(end)
  tally('streams truncated')
  const events = decodePieces(recording, [bytes.slice(0, at)])
  const problems = checkEventOrder(events)
  if (events.some(({ type }) => type === 'reply-end')) {
    problems.push(`cut at byte ${at} of ${bytes.length}, and a clean end was invented`)
  }
  const fault = new Fault(
    'upstream_error',
    'The upstream ended the stream before it was complete. Try again.',
  )
  const reply = translateReply(recording, client)
  const cut = { ...reply, events: [...events, { type: 'fault', fault } as const] }
  return [...problems, ...faultFormProblems(client, encodeStream(cut), fault.message)]
}

/** The longest prefix of a stream without a complete terminator. */
function terminatorStart({ protocol, reply: { text } }: Recording): number {
  const marks: Record<ProtocolName, RegExp> = {
    // Servers that omit the terminator end with the last finish reason.
    'chat-completions': /data:[^\n]*"finish_reason": ?"[^"]|data: ?\[DONE\]/,
    responses: /event: ?response\.(?:completed|incomplete|failed)/,
    messages: /event: ?message_stop/,
    'generate-content': /data:[^\n]*"(?:finishReason|blockReason)"/,
  }
  const at = text.search(marks[protocol])
  return at < 0 ? 1 : bytesOf(text.slice(0, at)).length
}
