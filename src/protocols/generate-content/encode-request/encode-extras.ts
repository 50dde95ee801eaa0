import { isObject, type JsonObject } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'

/** Members that only this protocol has, so only its own clients send them. */
const ownExtras = ['safetySettings', 'safety_settings', 'cachedContent', 'cached_content', 'labels']
/** Storage and delivery of the answer; the gateway handles both. */
const harmlessExtras = [
  'client_metadata',
  'include',
  'prediction',
  'prompt_cache_options',
  'prompt_cache_retention',
  'store',
  'stream_options',
  'truncation',
]

interface OwnExtras {
  readonly members: JsonObject
  readonly generationConfig: JsonObject | undefined
  readonly toolConfig: JsonObject | undefined
}

export function encodeExtras(extras: Readonly<Record<string, unknown>>, notes: Notes): OwnExtras {
  const members: Record<string, unknown> = {}
  const { generationConfig, toolConfig, ...others } = extras
  for (const [name, value] of Object.entries(others)) {
    if (ownExtras.includes(name)) members[name] = value
    else if (harmlessExtras.includes(name)) notes.harmless('extras', `${name}_dropped`)
    else notes.lossy('extras', `${name}_dropped`)
  }
  return {
    members,
    generationConfig: isObject(generationConfig) ? generationConfig : undefined,
    toolConfig: isObject(toolConfig) ? toolConfig : undefined,
  }
}
