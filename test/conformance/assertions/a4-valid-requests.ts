import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import type { Recording } from '../recordings/recording.ts'
import { schemaProblems } from '../schemas.ts'
import type { Case } from './assertion.ts'
import { requestCases, type Sent } from './request-rule.ts'

/** A4 for requests, and Q2: upstreams of messages reject every unknown field. */
export function a4ValidRequests(recordings: readonly Recording[]): Case[] {
  const others = protocolNames.filter((name) => name !== 'messages')
  return [
    ...requestCases(recordings, 'A4 requests are valid', others, sentProblems),
    ...requestCases(recordings, 'Q2 no foreign field', ['messages'], sentProblems),
  ]
}

/** The problems of each request text that an upstream got for a recording. */
const judged = new WeakMap<Recording, Map<string, readonly string[]>>()

/** Most kinds of models get the same text, which is checked once. */
function sentProblems(sent: Sent, upstream: ProtocolName, recording: Recording): readonly string[] {
  const known = judged.get(recording) ?? new Map<string, readonly string[]>()
  judged.set(recording, known)
  const name = `${upstream} ${sent.text}`
  const problems = known.get(name) ?? judge(sent, upstream, recording)
  known.set(name, problems)
  return problems
}

function judge({ value }: Sent, upstream: ProtocolName, recording: Recording): readonly string[] {
  const isSame = upstream === recording.protocol
  const problems = requestProblems(recording, upstream, value, isSame)
  if (problems.length === 0 || !isSame) return problems
  // A field that the live API accepted although its schema forbids it may be sent again.
  const recorded = requestProblems(
    recording,
    upstream,
    parseJson(recording.requestText ?? ''),
    true,
  )
  return recorded.length > 0 ? [] : problems
}

function requestProblems(
  recording: Recording,
  upstream: ProtocolName,
  value: unknown,
  mayBeBeta: boolean,
): readonly string[] {
  const asked = upstream === 'responses' ? withWhatTheApiAssumes(value) : value
  return schemaProblems(recording, upstream, 'request', asked, mayBeBeta ? 'beta' : 'none')
}

/** The live API accepts some fields that its schema lacks; see the notes of the schemas. */
function withWhatTheApiAssumes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withWhatTheApiAssumes)
  if (!isObject(value)) return value
  if (value['type'] === 'input_audio') return { type: 'input_text', text: 'audio' }
  const filled = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withWhatTheApiAssumes(member)]),
  )
  if (value['type'] === 'reasoning') return { id: 'rs_assumed', ...filled }
  if (value['type'] === 'input_image') return { detail: 'auto', ...filled }
  return filled
}
