import type { JsonObject } from '../../wire/json.ts'
import { type DemoAnswer, type DemoToolCallPart, toolCallsOfAnswer } from '../answer.ts'
import type { DemoExchange, StreamStep } from '../demo-protocol.ts'
import { fieldOf } from '../json-value.ts'
import { createdSeconds, type Seed, seededId } from '../seed.ts'
import { splitTokens } from '../tokens.ts'
import { encodeUsage } from './encode-usage.ts'
import { finishReasonOf } from './finish-reason.ts'

export function* encodeEvents({
  body,
  question,
  answer,
  seed,
}: DemoExchange): Iterable<StreamStep> {
  const includesUsage = fieldOf(body['stream_options'], 'include_usage') === true
  const envelope = {
    id: seededId(seed, 'chatcmpl-'),
    object: 'chat.completion.chunk',
    created: createdSeconds,
    model: question.model,
    service_tier: 'default',
    system_fingerprint: 'fp_demo',
  }
  const chunk = (delta: JsonObject, finishReason: string | null): JsonObject => ({
    ...envelope,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...(includesUsage ? { usage: null } : {}),
  })

  const content = toolCallsOfAnswer(answer).length > 0 ? null : ''
  yield { data: chunk({ role: 'assistant', content, refusal: null }, null) }
  for (const { delta, isWord } of encodeDeltas(answer, seed))
    yield { data: chunk(delta, null), isWord }
  yield { data: chunk({}, finishReasonOf(answer)) }
  if (includesUsage) yield { data: { ...envelope, choices: [], usage: encodeUsage(answer.usage) } }
  yield { data: '[DONE]' }
}

interface Delta {
  readonly delta: JsonObject
  readonly isWord: boolean
}

function* encodeDeltas(answer: DemoAnswer, seed: Seed): Iterable<Delta> {
  let callIndex = 0
  for (const part of answer.parts) {
    if (part.kind === 'tool-call') {
      yield* encodeCall(part, callIndex, seed)
      callIndex += 1
    } else {
      const name = part.kind === 'reasoning' ? 'reasoning_content' : 'content'
      for (const word of splitTokens(part.text)) yield { delta: { [name]: word }, isWord: true }
    }
  }
}

function* encodeCall(call: DemoToolCallPart, index: number, seed: Seed): Iterable<Delta> {
  const id = seededId(seed, 'call_', index)
  const header = { index, id, type: 'function', function: { name: call.name, arguments: '' } }
  yield { delta: { tool_calls: [header] }, isWord: false }
  for (const fragment of splitTokens(call.argumentsText)) {
    yield { delta: { tool_calls: [{ index, function: { arguments: fragment } }] }, isWord: true }
  }
}
