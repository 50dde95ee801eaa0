import type { JsonObject } from '../wire/json.ts'
import type { DemoAnswer } from './answer.ts'
import type { DemoRefusal, Question } from './question.ts'
import type { Seed } from './seed.ts'

export interface DemoExchange {
  readonly body: JsonObject
  readonly question: Question
  readonly answer: DemoAnswer
  readonly seed: Seed
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

export interface DemoProtocol {
  readQuestion(body: JsonObject): Question | DemoRefusal
  encodeReply(exchange: DemoExchange): JsonObject
  encodeEvents(exchange: DemoExchange): Iterable<StreamStep>
  encodeFault(fault: DemoFault): JsonObject
}
