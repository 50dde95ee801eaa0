import type { JsonObject } from '../../wire/json.ts'
import { toolCallsOfAnswer } from '../answer.ts'
import type { DemoExchange, StreamStep } from '../demo-protocol.ts'
import { seededSignature } from '../seed.ts'
import { countTokens, splitTokens } from '../tokens.ts'
import { encodeCallPart, encodeResponse, finishReasonOf } from './encode-response.ts'

export function* encodeEvents(exchange: DemoExchange): Iterable<StreamStep> {
  const { answer, question, seed } = exchange
  let usage = { input: answer.usage.input, output: 0, reasoning: 0 }
  for (const { part, output, reasoning } of encodeParts(exchange)) {
    usage = {
      ...usage,
      output: usage.output + output,
      reasoning: usage.reasoning + reasoning,
    }
    yield { data: encodeResponse(exchange, { parts: [part], usage }), isWord: true }
  }
  const isSigned = question.reasoning && toolCallsOfAnswer(answer).length === 0
  const last = isSigned ? { text: '', thoughtSignature: seededSignature(seed) } : { text: '' }
  const finishReason = finishReasonOf(exchange)
  yield { data: encodeResponse(exchange, { parts: [last], finishReason, usage: answer.usage }) }
}

interface CountedPart {
  readonly part: JsonObject
  readonly output: number
  readonly reasoning: number
}

function* encodeParts(exchange: DemoExchange): Iterable<CountedPart> {
  const { answer, question, seed } = exchange
  for (const [index, part] of answer.parts.entries()) {
    if (part.kind === 'tool-call') {
      const call = encodeCallPart(exchange, part, index)
      const isAfterThoughts = question.reasoning && index === 1
      const signed = isAfterThoughts ? { ...call, thoughtSignature: seededSignature(seed) } : call
      const output = countTokens(part.name) + countTokens(part.argumentsText)
      yield { part: signed, output, reasoning: 0 }
    } else {
      const isThought = part.kind === 'reasoning'
      for (const text of splitTokens(part.text)) {
        if (isThought) yield { part: { text, thought: true }, output: 0, reasoning: 1 }
        else yield { part: { text }, output: 1, reasoning: 0 }
      }
    }
  }
}
