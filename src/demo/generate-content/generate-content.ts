import { isObject } from '../../wire/json.ts'
import type { DemoProtocol } from '../demo-protocol.ts'
import { fieldOf } from '../json-value.ts'
import { isRefusal } from '../question.ts'
import { encodeEvents } from './encode-events.ts'
import { encodeFault } from './encode-fault.ts'
import { encodeReply } from './encode-reply.ts'
import { readQuestion } from './read-question.ts'

/** In this protocol the path, not the body, contains the model and the choice to stream. */
export function generateContent(model: string, stream: boolean): DemoProtocol {
  return {
    readQuestion: (body) => {
      const reading = readQuestion(body, model)
      return isRefusal(reading) ? reading : { ...reading, stream }
    },
    encodeReply,
    encodeEvents,
    encodeFault,
  }
}

/** A count request contains either the contents alone or a whole request in an envelope. */
export function generateContentCounting(model: string): DemoProtocol {
  return {
    ...generateContent(model, false),
    readQuestion: (body) => {
      const inner = fieldOf(body, 'generateContentRequest', 'generate_content_request')
      return readQuestion(isObject(inner) ? inner : body, model)
    },
  }
}
