import type { ProtocolName } from '../../src/core/neutral/protocol-name.ts'
import type { Call, Image, ToolChoice } from './scripts/answer.ts'

/** A client's request, independent of the SDK. */
export interface Question {
  readonly model: string
  readonly prompt: string
  readonly image?: Image
  readonly system?: string
  /** Offers `get_weather`. */
  readonly hasTools?: boolean
  readonly choice?: ToolChoice
  /** Requests JSON with a city and its degrees. */
  readonly hasSchema?: boolean
  /** Requests visible reasoning. */
  readonly thinks?: boolean
}

/** The answer as the SDK returns it. */
export interface Heard {
  readonly text: string
  readonly thought: string
  readonly refusal: string
  readonly calls: readonly Call[]
  /** The SDK's own value. */
  readonly finish: unknown
  readonly usage: unknown
  readonly requestId: string
  /** The same request followed by this answer and one result for each of its calls. */
  goOn(results: readonly string[]): Promise<Heard>
  /** The same request followed by this answer and another prompt. */
  askMore(prompt: string): Promise<Heard>
}

export interface Ear {
  /** Called with each piece of text as it arrives. */
  readonly onText?: (text: string) => void
  readonly signal?: AbortSignal
}

/** One SDK, connected to a gateway. */
export interface Connection {
  ask(question: Question): Promise<Heard>
  stream(question: Question, ear?: Ear): Promise<Heard>
}

/** An error as the SDK throws it. */
export interface Raised {
  readonly status: number | undefined
  readonly message: string
  /** Undefined in SDKs that do not expose it. */
  readonly requestId: string | undefined
}

type ErrorClass = abstract new (...given: never[]) => Error

export interface Sdk {
  readonly name: string
  readonly protocol: ProtocolName
  /** Its values for finish reasons. */
  readonly finishes: {
    readonly stop: unknown
    readonly cutShort: unknown
    readonly calls: unknown
    readonly refusal: unknown
    /** The value for an upstream of the same protocol, if that differs. */
    readonly ownRefusal?: unknown
  }
  /** 600 tokens of new input, 400 of cached input, and 200 of output including 50 of reasoning. */
  readonly usage: object
  connect(url: string, key: string): Connection
  /** The class of the error for this status. */
  errorClass(status: number): ErrorClass
  readError(error: unknown): Raised
  /** Whether this SDK exposes the reason of a refusal. */
  readonly tellsRefusals: boolean
  /** Whether it shows reasoning; by default it does. */
  readonly showsThoughts?: boolean
  /** Whether it sends the token of reasoning back to an upstream of this protocol; by default it does. */
  returnsToken?(upstream: ProtocolName): boolean
  /** For a client that requests JSON by forcing a function of this name; undefined if it requests text. */
  schemaTool?(model: string): string | undefined
}

const text = { type: 'string' } as const
const number = { type: 'integer' } as const

export const weatherSchema = {
  type: 'object' as const,
  properties: { city: text, days: number },
  required: ['city', 'days'],
  additionalProperties: false,
}

export const forecastSchema = {
  type: 'object' as const,
  properties: { city: text, degrees: number },
  required: ['city', 'degrees'],
  additionalProperties: false,
}

export const toolWords = {
  name: 'get_weather',
  description: 'The weather of a city for the coming days.',
} as const

export const outputTokensMax = 4_000
