import { isObject, type JsonObject } from '../../../wire/json.ts'

/** Fields that the neutral form has, and fields that do not change the answer: storage, delivery, labels. */
const named = new Set([
  'background',
  'client_metadata',
  'conversation',
  'include',
  'input',
  'instructions',
  'max_output_tokens',
  'metadata',
  'model',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
])

/** Fields with a value that the neutral form does not have. Null and empty values are dropped. */
export function decodeExtras(value: JsonObject): JsonObject {
  const extras: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) {
    if (!named.has(name) && !isEmpty(field)) extras[name] = field
  }
  return extras
}

function isEmpty(field: unknown): boolean {
  if (field === null || field === undefined || field === '') return true
  if (Array.isArray(field)) return field.length === 0
  return isObject(field) && Object.keys(field).length === 0
}
