import type { JsonObject } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'

/** Fields that mean the same in both of OpenAI's protocols. */
const shared = ['max_tool_calls', 'prompt_cache_options', 'prompt_cache_retention']
/** Storage and delivery of the answer; the gateway handles both. */
const harmless = ['client_metadata', 'labels', 'prediction', 'store', 'stream_options']

export function encodeExtras(extras: Readonly<Record<string, unknown>>, notes: Notes): JsonObject {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(extras)) {
    if (shared.includes(name)) kept[name] = value
    else if (harmless.includes(name)) notes.harmless('extras', `${name}_dropped`)
    else notes.lossy('extras', `${name}_dropped`)
  }
  return kept
}
