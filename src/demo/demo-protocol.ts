import type { JsonObject } from '../wire/json.ts'
import type { Answer } from './answer.ts'
import type { Question, Refusal } from './question.ts'
import type { Seed } from './seed.ts'

export interface DemoExchange {
  readonly body: JsonObject
  readonly question: Question
  readonly answer: Answer
  readonly seed: Seed
}

/** One event of a stream; `isWord` marks those the model takes its time for. */
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
  readQuestion(body: JsonObject): Question | Refusal
  encodeReply(exchange: DemoExchange): JsonObject
  encodeEvents(exchange: DemoExchange): Iterable<StreamStep>
  encodeFault(fault: DemoFault): JsonObject
}
