import type { JsonObject } from '../../wire/json.ts'
import type { DemoExchange } from '../demo-protocol.ts'
import { fieldOf, listOf, textOf } from '../json-value.ts'
import { createdSeconds, seededId } from '../seed.ts'
import { encodeItem, itemStatusOf } from './encode-item.ts'
import { encodeUsage } from './encode-usage.ts'

export function encodeReply(exchange: DemoExchange): JsonObject {
  const { answer } = exchange
  const isCut = answer.finish === 'length'
  return {
    ...encodeEnvelope(exchange),
    status: isCut ? 'incomplete' : 'completed',
    completed_at: isCut ? null : createdSeconds,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: answer.parts.map((part, index) =>
      encodeItem(exchange, part, index, itemStatusOf(exchange, index)),
    ),
    usage: encodeUsage(answer.usage),
  }
}

/** The response before any output: its id and the settings of the request. */
export function encodeEnvelope({ body, question, seed }: DemoExchange): JsonObject {
  return {
    id: seededId(seed, 'resp_'),
    object: 'response',
    created_at: createdSeconds,
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    metadata: body['metadata'] ?? {},
    model: question.model,
    output: [],
    parallel_tool_calls: question.parallelToolCalls,
    previous_response_id: body['previous_response_id'] ?? null,
    reasoning: {
      effort: fieldOf(body['reasoning'], 'effort') ?? null,
      summary: fieldOf(body['reasoning'], 'summary') ?? null,
    },
    service_tier: 'default',
    store: body['store'] ?? true,
    temperature: body['temperature'] ?? 1,
    text: { format: fieldOf(body['text'], 'format') ?? { type: 'text' } },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: listOf(body['tools']).map(encodeTool),
    top_p: body['top_p'] ?? 1,
    truncation: textOf(body['truncation']) ?? 'disabled',
    usage: null,
  }
}

// A function tool is strict by default, and the echo states the default.
function encodeTool(tool: unknown): unknown {
  if (fieldOf(tool, 'type') !== 'function') return tool
  return { strict: true, parameters: null, ...Object(tool) }
}
