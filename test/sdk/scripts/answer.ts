import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

/** A function call without its id, which each protocol creates in its own way. */
export interface Call {
  readonly name: string
  readonly input: JsonObject
}

/** An upstream's answer, independent of the protocol. */
export interface Answer {
  /** The reasoning, and the token that only its vendor understands. */
  readonly thought?: { readonly text: string; readonly token: string }
  /** The text, divided into events. */
  readonly pieces?: readonly string[]
  readonly refusal?: string
  readonly calls?: readonly Call[]
  /** The answer reached the limit of output tokens. */
  readonly isCutShort?: boolean
}

/** One call of an earlier turn with the result that the client sent for it. */
export interface AnsweredCall extends Call {
  readonly result: unknown
}

export interface Image {
  readonly mime: string
  readonly data: string
}

/** An upstream of one protocol: how it writes answers and reads requests. */
export interface Script {
  readonly protocol: ProtocolName
  /** A whole answer as JSON text. */
  whole(answer: Answer): string
  /** The same as a stream, frame by frame. */
  frames(answer: Answer): readonly string[]
  /** A failure in the middle of a stream. */
  readonly faultFrame: string
  /**
   * The calls of the last turn that has any. Fails unless their results are in the position that this protocol
   * requires, with the ids that it gave. A call of another upstream may have any id.
   */
  readCalls(body: unknown, madeBy?: 'this' | 'others'): readonly AnsweredCall[]
  readImages(body: unknown): readonly Image[]
  /** The schema that the answer must follow. */
  readSchema(body: unknown): unknown
  /** The names of the functions that may be called. */
  readTools(body: unknown): readonly unknown[]
  readChoice(body: unknown): ToolChoice
  readSystem(body: unknown): unknown
  /** The limit on output tokens. */
  readLimit(body: unknown): unknown
}

/** Whether a function may, must or must not be called; `get_weather`: this function must be called. */
export type ToolChoice = 'auto' | 'must' | 'never' | 'get_weather'

export const faultMessage = 'The model ran out of luck.'

export const rome: Call = { name: 'get_weather', input: { city: 'Rome', days: 2 } }
export const oslo: Call = { name: 'get_weather', input: { city: 'Oslo', days: 1 } }

const thought = { text: 'Rome lies in Italy.', token: 'c2lnbmVkLWJ5LWl0cy12ZW5kb3I=' }
const pieces = ['Rome is ', 'sunny: ', '24 °C ☀']

export const answers = {
  text: { pieces },
  call: { calls: [rome] },
  parallel: { calls: [rome, oslo] },
  json: { pieces: ['{"city":', '"Rome",', '"degrees":24}'] },
  thought: { thought, pieces },
  thoughtAndCall: { thought, calls: [rome] },
  cutShort: { pieces: ['Rome is '], isCutShort: true },
  refusal: { refusal: 'I will not talk about the weather.' },
} satisfies Record<string, Answer>

export function textOf({ pieces: said = [] }: Answer): string {
  return said.join('')
}
