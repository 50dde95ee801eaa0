import type { ModelRequest, OutputFormat, Sampling } from '../../../core/neutral/model-request.ts'
import { RawJson } from '../../../wire/exact-json.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { effortFor } from '../../fit/fit-reasoning.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'

/** The vendor rejects longer identifiers. */
export const identifierCharactersMax = 64

export function encodeSampling(
  request: ModelRequest,
  { traits }: Target,
  notes: Notes,
): JsonObject {
  const { temperature, topP } = request.sampling
  if (traits.takesSampling !== false) return { temperature, top_p: topP }
  if (temperature !== undefined) notes.lossy('temperature')
  if (topP !== undefined) notes.lossy('topP')
  return {}
}

/** Sampling fields that the protocol does not have. */
export function noteForeign(sampling: Sampling, notes: Notes): void {
  if (sampling.topK !== undefined) notes.lossy('topK')
  if (sampling.seed !== undefined) notes.lossy('seed')
  if (sampling.stop !== undefined && sampling.stop.length > 0) notes.lossy('stop')
  if (sampling.presencePenalty !== undefined && sampling.presencePenalty !== 0) {
    notes.lossy('presencePenalty')
  }
  if (sampling.frequencyPenalty !== undefined && sampling.frequencyPenalty !== 0) {
    notes.lossy('frequencyPenalty')
  }
  if (sampling.logitBias !== undefined && sampling.logitBias !== '{}') notes.lossy('logitBias')
}

export function encodeTextOptions({ format, verbosity }: ModelRequest): JsonObject | undefined {
  if (!format && verbosity === undefined) return undefined
  return { format: format && encodeFormat(format), verbosity }
}

function encodeFormat(format: OutputFormat): JsonObject {
  if (format.type === 'json-object') return { type: 'json_object' }
  return {
    type: 'json_schema',
    name: formatName(format.name),
    description: format.description,
    schema: new RawJson(format.schema),
    strict: format.isStrict ?? false,
  }
}

/** A name is required, with the characters of a tool name. */
function formatName(name: string | undefined): string {
  const cleaned = (name ?? '').replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, identifierCharactersMax)
  return cleaned === '' ? 'response' : cleaned
}

export function encodeReasoning(
  { reasoning, outputTokensMax }: ModelRequest,
  target: Target,
  notes: Notes,
): JsonObject | undefined {
  if (!reasoning) return undefined
  if (target.traits.thinking === 'none') {
    if (reasoning.mode !== 'off') notes.harmless('reasoning')
    return undefined
  }
  const effort = effortFor(reasoning, target.traits, outputTokensMax ?? target.outputTokensMax)
  const summary = reasoning.isVisible === true ? 'auto' : undefined
  return effort === undefined && summary === undefined ? undefined : { effort, summary }
}

export function encodeInclude(
  { logprobs }: ModelRequest,
  { traits }: Target,
): string[] | undefined {
  const include: string[] = []
  if (traits.thinking !== 'none') include.push('reasoning.encrypted_content')
  if (logprobs) include.push('message.output_text.logprobs')
  return include.length === 0 ? undefined : include
}
