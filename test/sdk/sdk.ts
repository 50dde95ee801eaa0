import type { ProtocolName } from '../../src/core/protocol-name.ts'
import type { Call, Image, ToolChoice } from './scripts/answer.ts'

/** What a client is made to ask for, in no SDK's words. */
export interface Question {
  readonly model: string
  readonly prompt: string
  readonly image?: Image
  readonly system?: string
  /** Offers `get_weather`. */
  readonly hasTools?: boolean
  readonly choice?: ToolChoice
  /** Wants JSON of a city and its degrees. */
  readonly hasSchema?: boolean
  /** Wants thoughts, and to see them. */
  readonly thinks?: boolean
}

/** What an SDK made of the answer. */
export interface Heard {
  readonly text: string
  readonly thought: string
  readonly refusal: string
  readonly calls: readonly Call[]
  /** In the SDK's own words. */
  readonly finish: unknown
  readonly usage: unknown
  readonly requestId: string
  /** The same question with this answer and one result for each of its calls behind it. */
  goOn(results: readonly string[]): Promise<Heard>
  /** The same question with this answer and another question behind it. */
  askMore(prompt: string): Promise<Heard>
}

export interface Ear {
  /** Called with each bit of text as it comes. */
  readonly onText?: (text: string) => void
  readonly signal?: AbortSignal
}

/** One SDK, pointed at a gateway. */
export interface Connection {
  ask(question: Question): Promise<Heard>
  stream(question: Question, ear?: Ear): Promise<Heard>
}

/** An error as the SDK raises it. */
export interface Raised {
  readonly status: number | undefined
  readonly message: string
  /** Undefined in SDKs that have no place for it. */
  readonly requestId: string | undefined
}

type ErrorClass = abstract new (...given: never[]) => Error

export interface Sdk {
  readonly name: string
  readonly protocol: ProtocolName
  /** Its words for why an answer ended. */
  readonly finishes: {
    readonly stop: unknown
    readonly cutShort: unknown
    readonly calls: unknown
    readonly refusal: unknown
    /** From an upstream of its own protocol, where that is another word. */
    readonly ownRefusal?: unknown
  }
  /** 600 tokens of new and 400 of cached input, 200 of output of which 50 were thoughts. */
  readonly usage: object
  connect(url: string, key: string): Connection
  /** The class that it raises for this status. */
  errorClass(status: number): ErrorClass
  readError(error: unknown): Raised
  /** Whether a client of this SDK can read why an answer was refused. */
  readonly tellsRefusals: boolean
  /** Whether it shows thoughts at all; it does unless told. */
  readonly showsThoughts?: boolean
  /** Whether it sends the token of a thought back to an upstream of this protocol; it does unless told. */
  returnsToken?(upstream: ProtocolName): boolean
  /** For a client that asks for JSON by forcing a function of this name; undefined where it asks for text. */
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
