import type { ProtocolName } from '../../../src/core/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

/** What an upstream of a test says, before a protocol gives it its shape. */
export interface Said {
  /** The answer's own id, in the protocol whose later requests may refer to it. */
  readonly id?: string
  /** What was thought, and the token that only its vendor understands. */
  readonly thought?: { readonly text: string; readonly token: string }
  /** The text, as it is cut into events. */
  readonly pieces?: readonly string[]
  readonly call?: { readonly id: string; readonly name: string; readonly input: JsonObject }
  /** Without it the upstream reports nothing. */
  readonly hasUsage?: boolean
}

/** One event of a client's stream. */
export interface StreamedEvent {
  readonly event: string | undefined
  /** `[DONE]` stays the text it is. */
  readonly data: unknown
}

/** An error as each protocol tells it, with its shape taken off. */
export interface ToldFault {
  readonly message: unknown
  /** The protocol's own word: a type, or Google's status. */
  readonly word: unknown
  /** The gateway's own reason. */
  readonly reason: unknown
  /** OpenAI's second word; undefined in protocols that have one only. */
  readonly code?: unknown
  /** The field that is at fault, where the protocol has a place for it. */
  readonly field?: unknown
}

/**
 * One protocol as its clients and its upstreams speak it: written anew here, so that the gateway is not checked
 * against itself.
 */
export interface Tongue {
  readonly name: ProtocolName
  readonly client: ClientSide
  readonly upstream: UpstreamSide
  /** 600 tokens of new and 400 of cached input, 200 of output of which 50 were thoughts. */
  readonly usage: JsonObject
}

export interface ClientSide {
  path(model: string, isStream: boolean): string
  /** One message of the user, and room for 1,000 tokens of output. */
  body(model: string, isStream: boolean): JsonObject
  /** The key in the header that this protocol's own clients use. */
  keyHeaders(value: string): Readonly<Record<string, string>>
  /** A function `look_up` with one text, and thoughts wanted. */
  readonly toolFields: JsonObject
  textOf(reply: unknown): string
  usageOf(reply: unknown): unknown
  streamedText(events: readonly StreamedEvent[]): string
  streamedUsage(events: readonly StreamedEvent[]): unknown
  /** How often the stream says that it is complete. */
  countEnds(events: readonly StreamedEvent[]): number
  readFault(body: unknown): ToldFault
  /** The error at the end of a broken stream; undefined when it does not end in one. */
  streamedFault(events: readonly StreamedEvent[]): ToldFault | undefined
  /** The calls in a whole reply. */
  callIds(reply: unknown): readonly string[]
  /** The calls in a stream. */
  streamedCallIds(events: readonly StreamedEvent[]): readonly string[]
  /** The request after a whole reply that called: the reply as it is, and `sunny` as the tool's result. */
  goOn(first: JsonObject, reply: unknown): JsonObject
  /** The same from a client that keeps only what it knows: the call's id, name and input. */
  goOnBare(first: JsonObject, callId: string): JsonObject
}

export interface UpstreamSide {
  path(model: string, isStream: boolean): string
  /** Every header that it is sent for its own sake, the credential among them. */
  headers(credential: string): Readonly<Record<string, string>>
  reply(said: Said): JsonObject
  /** Frames in order. The last one, alone or together with those before, says that the answer is complete. */
  events(said: Said): readonly string[]
  /** How many frames at the end of `events` are not content any more. */
  readonly tailLength: number
  faultEvent(status: number, message: string): string
  /** The text of the last message of the user. */
  promptOf(body: unknown): unknown
  /** All tokens that stand where this protocol's vendor looks for them. */
  tokensOf(body: unknown): readonly unknown[]
}

export const prompt = 'Good morning – ¿qué tal? 🌍'
export const greeting: Said = { pieces: ['Grü', 'ße ', 'aus Łódź 🌍'] }
export const greetingText = 'Grüße aus Łódź 🌍'
export const toolSchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
export const toolName = 'look_up'
export const toolInput = { city: 'Łódź' }

export function dig(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined
    const index = Array.isArray(found) && typeof name === 'number' && name < 0 ? found.length : 0
    const at = String(index === 0 ? name : index + Number(name))
    found = Object.entries(found).find(([key]) => key === at)?.[1]
  }
  return found
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function texts(values: readonly unknown[]): string {
  return values.filter((value) => typeof value === 'string').join('')
}

export function idsOf(values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === 'string')
}

/** A frame as an upstream sends it. */
export function frame(data: JsonObject | string, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}
