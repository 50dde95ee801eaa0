import type { JsonObject } from '../../wire/json.ts'

export interface DemoTurn {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
}

export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly schema: JsonObject
}

export interface DemoToolChoice {
  readonly mode: 'auto' | 'none' | 'required'
  /** Only these may be called; absent means any of the offered tools. */
  readonly names?: readonly string[]
}

export type Structure = 'text' | 'json-object' | { readonly schema: JsonObject }

/** The parts of a request that the demo model understands, independent of the protocol. */
export interface Question {
  readonly model: string
  readonly turns: readonly DemoTurn[]
  readonly tools: readonly OfferedTool[]
  readonly toolChoice: DemoToolChoice
  readonly parallelToolCalls: boolean
  readonly structure: Structure
  readonly reasoning: boolean
  readonly outputTokensMax: number | undefined
  readonly stream: boolean
}

export interface DemoToolCall {
  readonly kind: 'tool-call'
  readonly name: string
  readonly arguments: JsonObject
  readonly argumentsText: string
}

export type AnswerPart =
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | DemoToolCall

/** Disjoint counts: `output` excludes reasoning, and each protocol adds reasoning according to its own rules. */
export interface AnswerUsage {
  readonly input: number
  readonly output: number
  readonly reasoning: number
}

export interface DemoAnswer {
  readonly parts: readonly AnswerPart[]
  readonly finish: 'stop' | 'length' | 'tool-calls'
  readonly usage: AnswerUsage
}

/** A request with its answer. Ids and the signature depend only on the request, so equal requests get equal bytes. */
export interface DemoExchange {
  readonly body: JsonObject
  readonly question: Question
  readonly answer: DemoAnswer
  newId(prefix: string, ordinal?: number): string
  /** A placeholder for the opaque signature that vendors attach to reasoning. */
  readonly signature: string
}

/** One event of a stream; `isWord` marks events that the word delay applies to. */
export interface StreamStep {
  readonly event?: string
  readonly data: JsonObject | '[DONE]'
  readonly isWord?: boolean
}

export interface DemoFault {
  readonly status: 400 | 404
  readonly message: string
  readonly param?: string
}

/** The parameters in the path of a request. Only one protocol has the model and the choice to stream in the path. */
export interface DemoCall {
  /** Undefined for an unknown path, which still gets the protocol whose clients would call it. */
  readonly action: 'answer' | 'count' | 'list' | undefined
  readonly model: string
  readonly isStream: boolean
}

export interface DemoProtocol {
  readonly models: JsonObject
  /** The line ending of its event streams. */
  readonly newline: '\n' | '\r\n'
  /** The field of a reply that contains a token count, in the protocols that count tokens. */
  readonly countField?: string
  readQuestion(body: JsonObject, call: DemoCall): Question | DemoFault
  encodeReply(exchange: DemoExchange): JsonObject
  encodeEvents(exchange: DemoExchange): Iterable<StreamStep>
  encodeFault(fault: DemoFault): JsonObject
}

/** 2026-01-01T00:00:00Z; with a clock, two answers to the same request would differ. */
export const createdSeconds = 1_767_225_600

/** The demo model answers to any id; the model lists contain this one. */
export const listedModel = {
  id: 'tollgate-demo',
  displayName: 'Tollgate demo',
  inputTokensMax: 128_000,
  outputTokensMax: 16_384,
}

export function badRequest(message: string, param: string): DemoFault {
  return { status: 400, message, param }
}
