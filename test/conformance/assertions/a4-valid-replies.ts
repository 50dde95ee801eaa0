import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { parseJson } from '../../../src/wire/json.ts'
import { digList, digText } from '../dig.ts'
import { plainStream, plainWhole, translateReply } from '../pipeline/translate-reply.ts'
import { readSse, type WireEvent } from '../read-sse.ts'
import type { Recording } from '../recordings/recording.ts'
import { schemaProblems } from '../schemas.ts'
import { type Case, canHold, goodRepliesOf } from './assertion.ts'

/** A4: the reply to the client matches the vendor's own schema, events included. */
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
  const leave = isSame ? 'beta' : 'none'
  const whole = schemaProblems(recording, client, 'response', parseJson(plainWhole(reply)), leave)
  const streamed = readSse(plainStream(reply))
    .filter((event) => event.data !== '[DONE]' && !isCustomCall(event))
    .flatMap(({ event, json }) =>
      schemaProblems(recording, client, 'event', json, leave).map(
        (problem) => `${event ?? 'chunk'}: ${problem}`,
      ),
    )
  return [...new Set([...whole.map((problem) => `whole: ${problem}`), ...streamed])].slice(0, 6)
}

/** A few recordings violate their own schema; the same violation may reach the client. */
function recordedProblems(recording: Recording): readonly string[] {
  const { protocol, reply } = recording
  const problemsOf = (kind: 'response' | 'event', value: unknown) =>
    schemaProblems(recording, protocol, kind, value, 'beta')
  if (reply.form === 'whole') return problemsOf('response', parseJson(reply.text))
  return readSse(reply.text)
    .filter(({ data, event }) => data !== '[DONE]' && event !== 'ping')
    .flatMap(({ json }) => problemsOf('event', json))
}

/** The schema of chunks has no custom tools; the live API sends them in the form of whole replies. */
function isCustomCall({ json }: WireEvent): boolean {
  return digList(json, 'choices').some((choice) =>
    digList(choice, 'delta', 'tool_calls').some((call) => digText(call, 'type') === 'custom'),
  )
}
