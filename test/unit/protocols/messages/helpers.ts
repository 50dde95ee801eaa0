import type { ModelRequest } from '../../../../src/core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { messages } from '../../../../src/protocols/messages/index.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import { Notes } from '../../../../src/protocols/notes.ts'
import type { JsonBody, PathFacts } from '../../../../src/protocols/request-facts.ts'
import type {
  ReplyContext,
  Target,
  UpstreamContext,
} from '../../../../src/protocols/translation.ts'
import { writeJson } from '../../../../src/wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../../../src/wire/json.ts'
import { scanJson } from '../../../../src/wire/scan-json.ts'
import { SseFramer } from '../../../../src/wire/sse-framer.ts'

const { translation, passThrough } = messages
export const path: PathFacts = { model: undefined, isStream: undefined, framing: 'sse' }
export const issuer = 'anthropic/claude'

export function bodyOf(text: string): JsonBody {
  const value = parseJson(text)
  const scan = scanJson(text, 128)
  if (!isObject(value) || !scan.ok)
    throw new Error('the test sends something other than a JSON object')
  return { text, value, members: scan.members }
}

/** A request of a client, decoded; the fields that every request needs are added. */
export function decoded(fields: JsonObject | string): ModelRequest {
  const text = typeof fields === 'string' ? fields : JSON.stringify({ ...least, ...fields })
  const body = bodyOf(text)
  return translation.decodeRequest(body, passThrough.decodeFacts(body, path))
}

export const least = {
  model: 'public-model',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'Hi' }],
}

export const plainRequest: ModelRequest = decoded({})

export interface Encoded {
  readonly text: string
  readonly body: JsonObject
  readonly warnings: readonly string[]
}

/** A neutral request, written for an upstream. */
export function encoded(
  fields: Partial<ModelRequest>,
  traits: ModelTraits = {},
  target: Partial<Target> = {},
  isStrict = false,
): Encoded {
  const notes = new Notes(translation.fieldNames, isStrict)
  const to: Target = { model: 'upstream-model', issuer, traits, outputTokensMax: 8_000, ...target }
  const text = writeJson(translation.encodeRequest({ ...plainRequest, ...fields }, to, notes))
  const body = parseJson(text)
  if (!isObject(body)) throw new Error('the request is not a JSON object')
  return { text, body, warnings: notes.warnings }
}

function countingMint(): (prefix: string) => string {
  let count = 0
  return (prefix) => {
    count += 1
    return `${prefix}${count}`
  }
}

export function upstreamContext(): UpstreamContext {
  return { replies: {}, issuer, mint: countingMint() }
}

export function replyContext(request: ModelRequest = plainRequest): ReplyContext {
  return {
    request,
    requestId: 'req-1',
    body: {},
    wantsStreamUsage: true,
    framing: 'sse',
    createdAtSeconds: 1_700_000_000,
    estimatedInputTokens: 9,
    mint: countingMint(),
  }
}

/** Sends bytes through framer and decoder in pieces of the given lengths, repeated. */
export function decodeStream(text: string, lengths: readonly number[] = [1_000_000]): ReplyEvent[] {
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
  // The last event counts even if its blank line is missing.
  for (const frame of framer.push(new TextEncoder().encode('\n\n'))) {
    events.push(...decoder.push(frame))
  }
  return [...events, ...decoder.end()]
}

/** Events of the protocol as a stream. */
export function sse(...events: JsonObject[]): string {
  return events
    .map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}

export function encodeStream(events: readonly ReplyEvent[], context = replyContext()): string {
  const encoder = translation.openEncoder(context)
  return events.map((event) => encoder.push(event)).join('')
}

/** The events of a stream of the gateway, with their `event:` lines checked. */
export function readStream(text: string): JsonObject[] {
  return text
    .split('\n\n')
    .filter((each) => each !== '')
    .map((each) => {
      const match = /^event: (\w+)\ndata: ([^\n]*)$/.exec(each)
      const data = parseJson(match?.[2] ?? '')
      if (!isObject(data) || data['type'] !== match?.[1]) throw new Error(`not an event: ${each}`)
      return data
    })
}
