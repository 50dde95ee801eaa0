import { isObject, type JsonObject } from '../../../wire/json.ts'

/** Fields that the neutral form has; all others are extras. */
const named = new Set(
  (
    'model messages stream stream_options max_completion_tokens max_tokens temperature top_p top_k n stop seed ' +
    'tools tool_choice parallel_tool_calls functions function_call web_search_options response_format ' +
    'reasoning_effort reasoning thinking enable_thinking verbosity logprobs top_logprobs logit_bias ' +
    'frequency_penalty presence_penalty user safety_identifier prompt_cache_key service_tier metadata cache_control'
  ).split(' '),
)

/**
 * No other protocol distinguishes speakers of one role. As a separate field, the loss becomes a warning like any other.
 */
const speakers = 'messages.name'

export function decodeExtras(
  value: JsonObject,
  messages: readonly unknown[],
): Record<string, unknown> {
  const extras: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (!named.has(name) && member !== null) extras[name] = member
  }
  if (messages.some(hasName)) extras[speakers] = true
  return extras
}

function hasName(message: unknown): boolean {
  if (!isObject(message) || (message['role'] !== 'user' && message['role'] !== 'assistant')) {
    return false
  }
  return typeof message['name'] === 'string' && message['name'] !== ''
}
