import type { JsonObject } from '../../wire/json.ts'
import { type DemoAnswer, textOfAnswer, toolCallsOfAnswer } from '../answer.ts'
import type { DemoExchange } from '../demo-protocol.ts'
import { createdSeconds, type Seed, seededId } from '../seed.ts'
import { encodeUsage } from './encode-usage.ts'
import { finishReasonOf } from './finish-reason.ts'

export function encodeReply({ question, answer, seed }: DemoExchange): JsonObject {
  return {
    id: seededId(seed, 'chatcmpl-'),
    object: 'chat.completion',
    created: createdSeconds,
    model: question.model,
    choices: [
      {
        index: 0,
        message: encodeMessage(answer, seed),
        logprobs: null,
        finish_reason: finishReasonOf(answer),
      },
    ],
    usage: encodeUsage(answer.usage),
    service_tier: 'default',
    system_fingerprint: 'fp_demo',
  }
}

function encodeMessage(answer: DemoAnswer, seed: Seed): JsonObject {
  const reasoning = textOfAnswer(answer, 'reasoning')
  const calls = toolCallsOfAnswer(answer).map((call, index) => ({
    id: seededId(seed, 'call_', index),
    type: 'function',
    function: { name: call.name, arguments: call.argumentsText },
  }))
  return {
    role: 'assistant',
    content: calls.length > 0 ? null : textOfAnswer(answer, 'text'),
    refusal: null,
    annotations: [],
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}
