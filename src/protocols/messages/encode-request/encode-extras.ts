import { isObject, type JsonObject } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'

/** Fields that only this protocol has. A request of its own client may contain them. */
const own: Readonly<Record<string, (value: unknown) => boolean>> = {
  container: (value) => typeof value === 'string' || isObject(value),
  inference_geo: (value) => typeof value === 'string',
  speed: (value) => typeof value === 'string',
  // The responses protocol has a field of this name too, but as a list.
  context_management: isObject,
  mcp_servers: Array.isArray,
  fallbacks: Array.isArray,
  diagnostics: isObject,
}

/** Fields that do not change the answer. */
const harmless = new Set([
  'anthropic_version',
  'betas',
  'client_metadata',
  'include',
  'labels',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'store',
  'stream_options',
  'truncation',
])

export function encodeExtras(extras: Readonly<Record<string, unknown>>, notes: Notes): JsonObject {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(extras)) {
    if (own[name]?.(value)) fields[name] = value
    else if (harmless.has(name)) notes.harmless('extras', `${name}_dropped`)
    else if (name !== 'citations') notes.lossy('extras', `${name}_dropped`)
  }
  return fields
}
