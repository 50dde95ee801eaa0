import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { compareGists } from '../gist/compare-gists.ts'
import { gistOf } from '../gist/gist-readers.ts'
import { plainStream, plainWhole, translateReply } from '../pipeline/translate-reply.ts'
import type { Recording } from '../recordings/recording.ts'
import { type Case, canHold, goodRepliesOf } from './assertion.ts'

/**
 * A2 and A3: a recorded reply means the same after translation, to its own protocol (A2) and to the others (A3),
 * streamed and not streamed: text, calls by value, reasoning, finish reason, usage (U1).
 */
export function a2a3SameMeaning(recordings: readonly Recording[]): Case[] {
  return protocolNames.flatMap((upstream) =>
    protocolNames.flatMap((client) =>
      (['stream', 'whole'] as const).map((form) => ({
        name: `${upstream === client ? 'A2' : 'A3'} ${upstream} → ${client}: the same meaning, ${form}`,
        run: (judge) => {
          for (const recording of goodRepliesOf(recordings, upstream)) {
            judge.check(recording.name, () => meaningProblems(recording, client, form))
          }
        },
      })),
    ),
  ) satisfies Case[]
}

function meaningProblems(
  recording: Recording,
  client: ProtocolName,
  form: 'stream' | 'whole',
): string[] {
  const reply = translateReply(recording, client)
  if (!canHold(client, reply.answers)) return []
  const text = form === 'stream' ? plainStream(reply) : plainWhole(reply)
  const expected = gistOf(recording.protocol, recording.reply)
  return compareGists(expected, gistOf(client, { form, text }), client)
}
