import { isObject, type JsonObject } from '../../../wire/json.ts'
import { wantsCitations } from './decode-content.ts'

/** Fields that the neutral form has; all others are kept as extras. */
const known = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'stream',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'metadata',
  'service_tier',
  'cache_control',
])

/**
 * Citations are requested on each document, for all of them or for none, so they count as one option of the request.
 */
export function decodeExtras(value: JsonObject): Record<string, unknown> {
  const extras: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) {
    if (!known.has(name) && field !== null && field !== undefined) extras[name] = field
  }
  const messages: unknown[] = Array.isArray(value['messages']) ? value['messages'] : []
  if (messages.some((message) => isObject(message) && wantsCitations(message['content']))) {
    extras['citations'] = { enabled: true }
  }
  return extras
}
