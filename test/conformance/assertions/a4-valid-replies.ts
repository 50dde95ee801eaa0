import { type ProtocolName, protocolNames } from '../../../src/core/protocol-name.ts'
import { parseJson } from '../../../src/wire/json.ts'
import { digList, digText } from '../dig.ts'
import { encodeStream, encodeWhole, translateReply } from '../pipeline/translate-reply.ts'
import { readSse, type WireEvent } from '../read-sse.ts'
import type { Recording } from '../recordings/recording.ts'
import { betaProblems, type SchemaKind, schemaProblems } from '../schemas.ts'
import { type Case, canHold, goodRepliesOf } from './assertion.ts'

/** A4: what a client gets validates against the vendor's own schema, events included. */
export function a4ValidReplies(recordings: readonly Recording[]): Case[] {
  return protocolNames.flatMap((upstream) =>
    protocolNames.map((client) => ({
      name: `A4 ${upstream} → ${client}: replies and events are valid`,
      run: (judge) => {
        for (const recording of goodRepliesOf(recordings, upstream)) {
          judge.check(recording.name, () => replyProblems(recording, client))
        }
      },
    })),
  )
}

function replyProblems(recording: Recording, client: ProtocolName): string[] {
  const reply = translateReply(recording, client)
  if (!canHold(client, reply.answers)) return []
  const isSame = client === recording.protocol
  if (isSame && recordedProblems(recording).length > 0) return []
  const whole = problemsOf(client, 'response', parseJson(encodeWhole(reply)), isSame)
  const streamed = readSse(encodeStream(reply))
    .filter((event) => event.data !== '[DONE]' && !isCustomCall(event))
    .flatMap(({ event, json }) =>
      problemsOf(client, 'event', json, isSame).map((problem) => `${event ?? 'chunk'}: ${problem}`),
    )
  return [...new Set([...whole.map((problem) => `whole: ${problem}`), ...streamed])].slice(0, 6)
}

/** A few recordings break their own document: what came in may go out. */
function recordedProblems({ protocol, reply: { form, text } }: Recording): readonly string[] {
  if (form === 'whole') return problemsOf(protocol, 'response', parseJson(text), true)
  return readSse(text)
    .filter(({ data, event }) => data !== '[DONE]' && event !== 'ping')
    .flatMap(({ json }) => problemsOf(protocol, 'event', json, true))
}

function problemsOf(
  client: ProtocolName,
  kind: SchemaKind,
  value: unknown,
  mayBeBeta: boolean,
): readonly string[] {
  const problems = schemaProblems(client, kind, value)
  const isBeta = problems.length > 0 && mayBeBeta && client === 'messages'
  return isBeta ? betaProblems(kind, value) : problems
}

/** The document of chunks knows no custom tools; the live API sends them in the form of whole replies. */
function isCustomCall({ json }: WireEvent): boolean {
  return digList(json, 'choices').some((choice) =>
    digList(choice, 'delta', 'tool_calls').some((call) => digText(call, 'type') === 'custom'),
  )
}
