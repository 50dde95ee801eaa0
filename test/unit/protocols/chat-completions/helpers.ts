import type { ModelRequest } from '../../../../src/core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { chatCompletions } from '../../../../src/protocols/chat-completions/index.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import { Notes } from '../../../../src/protocols/notes.ts'
import type { JsonBody, RequestFacts } from '../../../../src/protocols/request-facts.ts'
import type {
  ReplyContext,
  Target,
  UpstreamContext,
} from '../../../../src/protocols/translation.ts'
import { writeJson } from '../../../../src/wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../../../src/wire/json.ts'
import { scanJson } from '../../../../src/wire/scan-json.ts'
import { readFields, SseFramer } from '../../../../src/wire/sse-framer.ts'
import { repliesAt } from '../../../support/exchanges/recorded-replies.ts'

/** The gateway's work around the protocol, for tests of the protocol alone. */

export const { translation, passThrough } = chatCompletions
export const issuer = 'host/family'
const noPath = { model: undefined, isStream: undefined, framing: 'sse' } as const
const depthMax = 128

export function bodyOf(request: unknown): JsonBody {
  const text = typeof request === 'string' ? request : JSON.stringify(request)
  const value = parseJson(text)
  const scan = scanJson(text, depthMax)
  if (!isObject(value) || !scan.ok) throw new Error(`not a body: ${text}`)
  return { text, value, members: scan.members }
}

export function factsOf(request: unknown): RequestFacts {
  return passThrough.decodeFacts(bodyOf(request), noPath)
}

export function decodeRequest(request: unknown): ModelRequest {
  return translation.decodeRequest(bodyOf(request), factsOf(request))
}

/** A request with a model and one message, and the given fields. */
export function ask(more: object): JsonObject {
  return { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...more }
}

export const plainRequest = decodeRequest(ask({}))

export function targetOf(traits: ModelTraits = {}, model = 'up'): Target {
  return { model, issuer, traits, outputTokensMax: 8_000 }
}

export function encodeRequest(request: ModelRequest, target = targetOf(), isStrict = false) {
  const notes = new Notes(translation.fieldNames, isStrict)
  const text = writeJson(translation.encodeRequest(request, target, notes))
  const body = parseJson(text)
  if (!isObject(body)) throw new Error(`not an object: ${text}`)
  return { text, body, warnings: notes.warnings }
}

/** Ids in the order of their creation. */
function mint(): (prefix: string) => string {
  let count = 0
  return (prefix) => {
    count += 1
    return prefix + count
  }
}

export function upstream(): UpstreamContext {
  return { issuer, replies: repliesAt('https://nobody-knows.test'), mint: mint() }
}

export function replyContext(body: JsonObject = {}, wantsStreamUsage = false): ReplyContext {
  return {
    request: { ...plainRequest, model: 'public-model' },
    requestId: 'req-1',
    body,
    wantsStreamUsage,
    framing: 'sse',
    createdAtSeconds: 1_700_000_000,
    estimatedInputTokens: 0,
    mint: mint(),
  }
}

/** A stream of chunks that have these choices, or of whole chunks, with the terminator. */
export function decodeChunks(chunks: readonly unknown[], isEnded = true): ReplyEvent[] {
  const data = [...chunks.map((chunk) => JSON.stringify(chunk)), ...(isEnded ? ['[DONE]'] : [])]
  return decodeText(data.map((each) => `data: ${each}\n\n`).join(''))
}

export function decodeText(sse: string, lengths: readonly number[] = [1 << 20]): ReplyEvent[] {
  const bytes = new TextEncoder().encode(sse)
  const framer = new SseFramer(1 << 24)
  const decoder = translation.openDecoder(upstream())
  const events: ReplyEvent[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    for (const frame of framer.push(bytes.slice(at, at + length)))
      events.push(...decoder.push(frame))
    at += length
  }
  return [...events, ...decoder.end()]
}

export function deltas(...list: unknown[]): unknown[] {
  return list.map((delta) => ({ id: 'c1', model: 'm1', choices: [{ index: 0, delta }] }))
}

export function encodeStream(events: readonly ReplyEvent[], context = replyContext()): string {
  const encoder = translation.openEncoder(context)
  return events.map((event) => encoder.push(event)).join('')
}

/** The chunks of a stream, and whether it ended with its terminator. */
export function readStream(sse: string): { chunks: JsonObject[]; isEnded: boolean } {
  const frames = sse.split('\n\n').slice(0, -1)
  const data = frames.map((frame) => readFields(`${frame}\n\n`).data ?? '')
  const isEnded = data.at(-1) === '[DONE]'
  const chunks = (isEnded ? data.slice(0, -1) : data).map((each) => parseJson(each))
  return { chunks: chunks.filter(isObject), isEnded }
}

/** The deltas of a stream's first choice, without the chunks with the role and the finish reason. */
export function deltasOf(sse: string): unknown[] {
  const choices = readStream(sse).chunks.flatMap(({ choices: list }) =>
    Array.isArray(list) ? list.filter(isObject) : [],
  )
  return choices.slice(1, -1).map((choice) => choice['delta'])
}
