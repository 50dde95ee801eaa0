import type { OutputFormat, Sampling } from '../../../core/neutral/model-request.ts'
import { RawJson } from '../../../wire/exact-json.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'
import { schemaForClaude } from '../../schema/schema-for-claude.ts'
import type { Target } from '../../translation.ts'
import { hasVisibleText } from './encode-content.ts'

const topPMinWithThinking = 0.95

/** The sampling fields that the model accepts. */
export function encodeSampling(
  sampling: Sampling,
  target: Target,
  isThinking: boolean,
  notes: Notes,
): JsonObject {
  noteForeign(sampling, notes)
  return {
    ...encodePicking(sampling, target, isThinking, notes),
    stop_sequences: encodeStop(sampling.stop, notes),
  }
}

function noteForeign(sampling: Sampling, notes: Notes): void {
  if (sampling.seed !== undefined) notes.lossy('seed')
  if (sampling.presencePenalty) notes.lossy('presencePenalty')
  if (sampling.frequencyPenalty) notes.lossy('frequencyPenalty')
  if (sampling.logitBias !== undefined && sampling.logitBias !== '{}') notes.lossy('logitBias')
}

/** The API accepts either temperature or top_p, and with thinking only values that change nothing. */
function encodePicking(
  sampling: Sampling,
  target: Target,
  isThinking: boolean,
  notes: Notes,
): JsonObject {
  let { temperature, topP, topK } = sampling
  const isTaken = target.traits.takesSampling !== false
  if (temperature !== undefined && (!isTaken || (isThinking && temperature !== 1))) {
    if (temperature !== 1) notes.lossy('temperature')
    temperature = undefined
  }
  if (topP !== undefined && (!isTaken || (isThinking && topP < topPMinWithThinking))) {
    if (topP !== 1) notes.lossy('topP')
    topP = undefined
  }
  temperature = clamp(temperature, 'temperature', notes)
  topP = clamp(topP, 'topP', notes)
  if (topK !== undefined && (!isTaken || isThinking)) {
    notes.lossy('topK')
    topK = undefined
  }
  if (temperature !== undefined && topP !== undefined) {
    if (temperature === 1 && topP !== 1) temperature = undefined
    else {
      if (topP !== 1) notes.lossy('topP')
      topP = undefined
    }
  }
  return { temperature, top_p: topP, top_k: topK }
}

function clamp(
  value: number | undefined,
  field: 'temperature' | 'topP',
  notes: Notes,
): number | undefined {
  if (value === undefined || (value >= 0 && value <= 1)) return value
  notes.lossy(field, 'clamped')
  return value < 0 ? 0 : 1
}

function encodeStop(stop: readonly string[] | undefined, notes: Notes): string[] | undefined {
  if (!stop) return undefined
  const taken = stop.filter(hasVisibleText)
  if (taken.length < stop.length) notes.lossy('stop', 'blank_dropped')
  return taken.length > 0 ? taken : undefined
}

export interface EncodedFormat {
  /** `output_config.format`. */
  readonly field: JsonObject | undefined
  /** Text for the system prompt, where the API has no field. */
  readonly instruction: string | undefined
}

const asObject = 'Answer with one JSON object and nothing else: no words around it, no code fence.'

export function encodeFormat(
  format: OutputFormat | undefined,
  target: Target,
  notes: Notes,
): EncodedFormat {
  if (!format) return { field: undefined, instruction: undefined }
  if (format.type === 'json-object') {
    notes.lossy('format', 'as_instruction')
    return { field: undefined, instruction: asObject }
  }
  if (target.traits.takesOutputFormat !== false) {
    const schema = new RawJson(schemaForClaude(format.schema, notes.schemaWork('format')))
    return { field: { type: 'json_schema', schema }, instruction: undefined }
  }
  if (format.isStrict === true) {
    notes.refuse(
      'format',
      'The upstream of this model cannot guarantee a schema. Leave "strict" out.',
    )
  }
  notes.lossy('format', 'as_instruction')
  return {
    field: undefined,
    instruction: `${asObject} It must be valid by this JSON Schema:\n${format.schema}`,
  }
}
