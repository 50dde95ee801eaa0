import type { JsonObject } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'
import { isFullOpenAi } from './dialect.ts'

/** Fields that only chat servers know, so no field of another protocol can be mistaken for one of them. */
const own = new Set([
  'audio',
  'min_p',
  'modalities',
  'plugins',
  'prediction',
  'provider',
  'repetition_penalty',
  'top_a',
  'transforms',
])

/** Fields that OpenAI's own servers know and compatible servers may reject. */
const hints = new Set(['moderation', 'prompt_cache_options', 'prompt_cache_retention'])

/** Fields that do not change the answer. */
const harmless = new Set([
  'anthropic_version',
  'betas',
  'client_metadata',
  'include',
  'labels',
  'store',
  'stream_options',
  'truncation',
  'usage',
])

/** Fields that the neutral form does not have: sent if they belong to this protocol, otherwise noted. */
export function encodeExtras(
  extras: Readonly<Record<string, unknown>>,
  target: Target,
  notes: Notes,
): JsonObject {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(extras)) {
    if (own.has(name) || (hints.has(name) && isFullOpenAi(target.traits))) fields[name] = value
    else if (harmless.has(name) || hints.has(name)) notes.harmless('extras', `${name}_dropped`)
    else notes.lossy('extras', `${name}_dropped`)
  }
  return fields
}
