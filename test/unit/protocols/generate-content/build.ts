import type { ModelRequest } from '../../../../src/core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { counting } from '../../../../src/protocols/generate-content/counting.ts'
import { translation } from '../../../../src/protocols/generate-content/translation.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import { Notes } from '../../../../src/protocols/notes.ts'
import type {
  JsonBody,
  PathFacts,
  RequestFacts,
  StreamFraming,
} from '../../../../src/protocols/request-facts.ts'
import type {
  ReplyContext,
  Target,
  UpstreamContext,
} from '../../../../src/protocols/translation.ts'
import { writeJson } from '../../../../src/wire/exact-json.ts'
import { isObject, parseJson } from '../../../../src/wire/json.ts'
import { scanJson } from '../../../../src/wire/scan-json.ts'
import { SseFramer } from '../../../../src/wire/sse-framer.ts'

export const issuer = 'google/gemini'

export const streamPath: PathFacts = { model: 'm', isStream: true, framing: 'sse' }

export const facts: RequestFacts = {
  model: 'm',
  isStream: false,
  outputTokensMax: undefined,
  answers: 1,
  wantsStreamUsage: true,
  framing: 'sse',
}

export function bodyOf(sent: unknown): JsonBody {
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent)
  const value = parseJson(text)
  const scan = scanJson(text, 256)
  if (!isObject(value) || !scan.ok) throw new Error(`not a body: ${text}`)
  return { text, value, members: scan.members }
}

export function decode(sent: unknown): ModelRequest {
  return translation.decodeRequest(bodyOf(sent), facts)
}

export function decodeCount(sent: unknown): ModelRequest {
  return counting.decodeCountRequest(bodyOf(sent), facts)
}

const emptyRequest: ModelRequest = {
  model: 'm',
  isStream: false,
  system: [],
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
  tools: [],
  toolChoice: undefined,
  parallelCalls: undefined,
  outputTokensMax: undefined,
  sampling: {},
  answers: 1,
  format: undefined,
  reasoning: undefined,
  logprobs: undefined,
  verbosity: undefined,
  endUser: undefined,
  cacheKey: undefined,
  serviceTier: undefined,
  metadata: undefined,
  cacheMark: undefined,
  extras: {},
}

/** A request in the upstream's protocol, and the warnings. */
export function encode(
  request: Partial<ModelRequest>,
  traits: ModelTraits = {},
  isStrict: boolean = false,
) {
  const notes = new Notes(translation.fieldNames, isStrict)
  const target: Target = { model: 'up', issuer, traits, outputTokensMax: 8_192 }
  const text = writeJson(translation.encodeRequest({ ...emptyRequest, ...request }, target, notes))
  const value = parseJson(text)
  if (!isObject(value)) throw new Error(`not a JSON object: ${text}`)
  return { text, value, warnings: notes.warnings }
}

/** Ids are counted, so that tests can name them. */
export function upstreamContext(): UpstreamContext {
  let count = 0
  return {
    issuer,
    replies: {},
    mint: (prefix) => {
      count += 1
      return `${prefix}${count}`
    },
  }
}

export function replyContext(framing: StreamFraming = 'sse'): ReplyContext {
  return {
    request: emptyRequest,
    requestId: 'req-1',
    body: {},
    wantsStreamUsage: true,
    framing,
    createdAtSeconds: 1,
    estimatedInputTokens: 7,
    mint: (prefix) => `${prefix}minted`,
  }
}

/** A stream through framer and decoder, in pieces of the given lengths, repeated. */
export function decodeStream(
  text: string,
  lengths: readonly number[] = [text.length * 4 + 1],
): ReplyEvent[] {
  const bytes = new TextEncoder().encode(text)
  const framer = new SseFramer(16_000_000)
  const decoder = translation.openDecoder(upstreamContext())
  const events: ReplyEvent[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    for (const frame of framer.push(bytes.slice(at, at + length))) {
      events.push(...decoder.push(frame))
    }
    at += length
  }
  // The gateway closes an event that the upstream has left open.
  const rest = framer.unfinishedBytes > 0 ? framer.push(new TextEncoder().encode('\n\n')) : []
  for (const frame of rest) events.push(...decoder.push(frame))
  return [...events, ...decoder.end()]
}

export function sse(...chunks: unknown[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join('')
}

export function encodeStream(events: Iterable<ReplyEvent>, framing: StreamFraming = 'sse'): string {
  const encoder = translation.openEncoder(replyContext(framing))
  let text = ''
  for (const event of events) text += encoder.push(event)
  return text
}

/** The chunks of a stream that the encoder has written. */
export function chunksOf(text: string): unknown[] {
  if (text.startsWith('[')) {
    const list = parseJson(text)
    if (!Array.isArray(list)) throw new Error(`not a list: ${text}`)
    return list
  }
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      if (!event.startsWith('data: ') || event.includes('\n'))
        throw new Error(`not an event: ${event}`)
      return parseJson(event.slice('data: '.length))
    })
}
