import type { JsonObject } from '../../wire/json.ts'
import type { Notes } from '../notes.ts'
import type { Target } from '../translation.ts'
import { isFullOpenAi } from './dialect.ts'

/** Fields that only chat servers know, so that no other protocol's field can be taken for one of them. */
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

/** Fields that OpenAI's own servers know and compatible ones may refuse. */
const hints = new Set(['moderation', 'prompt_cache_options', 'prompt_cache_retention'])

/** Fields whose absence changes nothing in the answer. */
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

/** What the neutral form has no place for: sent where it is this protocol's own, noted where it is not. */
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
