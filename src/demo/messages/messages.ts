import type { JsonObject } from '../../wire/json.ts'
import type { DemoProtocol } from '../demo-protocol.ts'
import { positiveIntegerOf } from '../json-value.ts'
import type { DemoRefusal, Question } from '../question.ts'
import { encodeEvents } from './encode-events.ts'
import { encodeFault } from './encode-fault.ts'
import { encodeReply } from './encode-reply.ts'
import { readQuestion } from './read-question.ts'

export const messages: DemoProtocol = {
  readQuestion: readLimitedQuestion,
  encodeReply,
  encodeEvents,
  encodeFault,
}

/** Counting tokens needs no output limit; answering does. */
export const messagesCounting: DemoProtocol = { ...messages, readQuestion }

function readLimitedQuestion(body: JsonObject): Question | DemoRefusal {
  if (positiveIntegerOf(body['max_tokens']) === undefined) {
    return { refusal: 'max_tokens: Field required', param: 'max_tokens' }
  }
  return readQuestion(body)
}
