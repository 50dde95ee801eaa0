import type { ModelRequest } from '../../../../src/core/neutral/model-request.ts'
import type { PartEnd, ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { Notes } from '../../../../src/protocols/notes.ts'
import type { StreamTap } from '../../../../src/protocols/protocol.ts'
import type { JsonBody } from '../../../../src/protocols/request-facts.ts'
import { passThrough } from '../../../../src/protocols/responses/pass-through/pass-through.ts'
import { translation } from '../../../../src/protocols/responses/translation.ts'
import type { ReplyContext, Target } from '../../../../src/protocols/translation.ts'
import { writeJson } from '../../../../src/wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../../../src/wire/json.ts'
import { scanJson } from '../../../../src/wire/scan-json.ts'
import { type SseFrame, SseFramer } from '../../../../src/wire/sse-framer.ts'

export const path = { model: undefined, isStream: undefined, framing: 'sse' } as const
const frameBytesMax = 64_000_000
const depthMax = 200

export const target: Target = {
  model: 'upstream-model',
  issuer: 'openai/gpt',
  traits: {},
  outputTokensMax: 32_000,
}

/** Ids in the order of their creation. */
function minting(): (prefix: string) => string {
  let count = 0
  return (prefix) => `${prefix}${++count}`
}

export function bodyOfText(text: string): JsonBody {
  const value = parseJson(text)
  const scan = scanJson(text, depthMax)
  if (!isObject(value) || !scan.ok) throw new Error(`not a body: ${text}`)
  return { text, value, members: scan.members }
}

export function bodyOf(value: JsonObject): JsonBody {
  return bodyOfText(JSON.stringify(value))
}

export function decode(value: JsonObject): ModelRequest {
  const body = bodyOf({ model: 'm', ...value })
  return translation.decodeRequest(body, passThrough.decodeFacts(body, path))
}

export function decodeText(text: string): ModelRequest {
  const body = bodyOfText(text)
  return translation.decodeRequest(body, passThrough.decodeFacts(body, path))
}

export interface Encoded {
  readonly text: string
  readonly value: JsonObject
  readonly warnings: readonly string[]
}

export function encode(request: ModelRequest, to: Target = target, isStrict = false): Encoded {
  const notes = new Notes(translation.fieldNames, isStrict)
  const text = writeJson(translation.encodeRequest(request, to, notes))
  const value = parseJson(text)
  if (!isObject(value)) throw new Error(`not a body: ${text}`)
  return { text, value, warnings: notes.warnings }
}

export function plainRequest(over: Partial<ModelRequest> = {}): ModelRequest {
  return { ...decode({ input: 'hi' }), ...over }
}

function framesOf(text: string, lengths: readonly number[] = [1 << 20]): SseFrame[] {
  const bytes = new TextEncoder().encode(text)
  const framer = new SseFramer(frameBytesMax)
  const frames: SseFrame[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    frames.push(...framer.push(bytes.slice(at, at + length)))
    at += length
  }
  return frames
}

/** A stream of events as the vendor writes them; strings are sent unchanged. */
export function streamOf(...events: readonly (JsonObject | string)[]): string {
  return events
    .map((event) =>
      typeof event === 'string'
        ? `data: ${event}\n\n`
        : `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`,
    )
    .join('')
}

export function decodeStream(
  text: string,
  lengths?: readonly number[],
  issuer = target.issuer,
): ReplyEvent[] {
  const decoder = translation.openDecoder({ issuer, replies: {}, mint: minting() })
  const events = framesOf(text, lengths).flatMap((frame) => decoder.push(frame))
  return [...events, ...decoder.end()]
}

export function decodeWhole(value: unknown): ReplyEvent[] {
  return translation.decodeReply(JSON.stringify(value), {
    issuer: target.issuer,
    replies: {},
    mint: minting(),
  })
}

export function replyContext(body: JsonObject = { model: 'm', input: 'hi' }): ReplyContext {
  return {
    request: decode(body),
    requestId: 'req_1',
    body,
    wantsStreamUsage: true,
    framing: 'sse',
    createdAtSeconds: 1_800_000_000,
    estimatedInputTokens: 0,
    mint: minting(),
  }
}

export interface Written {
  readonly text: string
  readonly events: readonly JsonObject[]
  readonly final: JsonObject | undefined
}

export function write(events: readonly ReplyEvent[], context = replyContext()): Written {
  const encoder = translation.openEncoder(context)
  const text = events.map((event) => encoder.push(event)).join('')
  const final = parseJson(encoder.finalResponse?.() ?? '')
  return { text, events: eventsIn(text), final: isObject(final) ? final : undefined }
}

export function eventsIn(text: string): JsonObject[] {
  return framesOf(text).flatMap(({ event, data }) => {
    const value = parseJson(data ?? '')
    if (!isObject(value) || value['type'] !== event) throw new Error(`not an event: ${data}`)
    return [value]
  })
}

export function tapAll(tap: StreamTap, text: string) {
  return framesOf(text).map((frame) => tap.read(frame))
}

/** The neutral events of a reply in short form, for tables. */
export const start: ReplyEvent = { type: 'reply-start', id: 'resp_up', model: 'up' }
export const stop: ReplyEvent = {
  type: 'reply-end',
  finishes: [{ reason: 'stop', raw: 'completed' }],
}
export function opening(part: Extract<ReplyEvent, { type: 'part-start' }>['part']): ReplyEvent {
  return { type: 'part-start', answer: 0, part }
}
export function saying(text: string): ReplyEvent {
  return { type: 'part-delta', answer: 0, text }
}
export const closing: PartEnd = { type: 'part-end', answer: 0 }
