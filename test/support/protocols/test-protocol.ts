import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

/** The answer of a test upstream, independent of the protocol. */
export interface ScriptedReply {
  /** The id of the answer, in the protocol whose later requests may refer to it. */
  readonly id?: string
  /** The reasoning, and the opaque token that only its vendor understands. */
  readonly thought?: { readonly text: string; readonly token: string }
  /** The text, divided into events. */
  readonly pieces?: readonly string[]
  readonly call?: { readonly id: string; readonly name: string; readonly input: JsonObject }
  /** False: the upstream reports no usage. */
  readonly hasUsage?: boolean
}

/** One event of a client's stream. */
export interface StreamedEvent {
  readonly event: string | undefined
  /** `[DONE]` stays a string. */
  readonly data: unknown
}

/** An error, independent of the protocol's format. */
export interface ClientFault {
  readonly message: unknown
  /** The protocol's error name: a type, or Google's status. */
  readonly word: unknown
  /** The gateway's reason. */
  readonly reason: unknown
  /** OpenAI's `code`; undefined in protocols with one name only. */
  readonly code?: unknown
  /** The invalid field, where the protocol reports it. */
  readonly field?: unknown
}

/**
 * One protocol as its clients and upstreams use it. The code here is independent of the gateway's, so that the gateway
 * is not checked against itself.
 */
export interface TestProtocol {
  readonly name: ProtocolName
  readonly client: ClientSide
  readonly upstream: UpstreamSide
  /** 600 tokens of new input, 400 of cached input, and 200 of output including 50 of reasoning. */
  readonly usage: JsonObject
}

export interface ClientSide {
  path(model: string, isStream: boolean): string
  /** One user message, and a limit of 1,000 output tokens. */
  body(model: string, isStream: boolean): JsonObject
  /** The key in the header that this protocol's own clients use. */
  keyHeaders(value: string): Readonly<Record<string, string>>
  /** A function `look_up` with one text parameter, and reasoning enabled. */
  readonly toolFields: JsonObject
  textOf(reply: unknown): string
  usageOf(reply: unknown): unknown
  streamedText(events: readonly StreamedEvent[]): string
  streamedUsage(events: readonly StreamedEvent[]): unknown
  /** How many events mark the stream as complete. */
  countEnds(events: readonly StreamedEvent[]): number
  readFault(body: unknown): ClientFault
  /** The error at the end of a broken stream; undefined when the stream does not end with an error. */
  streamedFault(events: readonly StreamedEvent[]): ClientFault | undefined
  /** The ids of the calls in a whole reply. */
  callIds(reply: unknown): readonly string[]
  /** The ids of the calls in a stream. */
  streamedCallIds(events: readonly StreamedEvent[]): readonly string[]
  /** The request after a whole reply with a call: contains the unchanged reply, and `sunny` as the tool's result. */
  goOn(first: JsonObject, reply: unknown): JsonObject
  /** The same from a client that keeps only the call's id, name and input. */
  goOnBare(first: JsonObject, callId: string): JsonObject
}

export interface UpstreamSide {
  path(model: string, isStream: boolean): string
  /** Every header that this protocol requires, including the credential. */
  headers(credential: string): Readonly<Record<string, string>>
  reply(said: ScriptedReply): JsonObject
  /** Frames in order. The last one, alone or together with earlier ones, marks the answer as complete. */
  events(said: ScriptedReply): readonly string[]
  /** The number of frames at the end of `events` without content. */
  readonly tailLength: number
  faultEvent(status: number, message: string): string
  /** The text of the last user message. */
  promptOf(body: unknown): unknown
  /** All tokens in the places where this protocol's vendor reads them. */
  tokensOf(body: unknown): readonly unknown[]
}

export const prompt = 'Good morning – ¿qué tal? 🌍'
export const greeting: ScriptedReply = { pieces: ['Grü', 'ße ', 'aus Łódź 🌍'] }
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

export function frame(data: JsonObject | string, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}
