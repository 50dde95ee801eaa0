import type { ModelRequest, OutputFormat } from '../../../core/neutral/model-request.ts'
import { RawJson } from '../../../wire/exact-json.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { RequestFieldName } from '../../field-names.ts'
import type { Notes } from '../../notes.ts'
import type { Target } from '../../translation.ts'

const stopMax = 4

export function encodeSampling(request: ModelRequest, target: Target, notes: Notes): JsonObject {
  const { sampling } = request
  if (sampling.topK !== undefined) notes.lossy('topK')
  // Models with fixed sampling reject these fields, whatever their value.
  const unlessFixed = <Value>(
    field: RequestFieldName,
    value: Value | undefined,
    usual: Value | undefined,
  ): Value | undefined => {
    if (value === undefined || target.traits.takesSampling !== false) return value
    if (value === usual) notes.harmless(field)
    else notes.lossy(field)
    return undefined
  }
  const bias = unlessFixed('logitBias', sampling.logitBias, '{}')
  return {
    temperature: unlessFixed('temperature', sampling.temperature, 1),
    top_p: unlessFixed('topP', sampling.topP, 1),
    presence_penalty: unlessFixed('presencePenalty', sampling.presencePenalty, 0),
    frequency_penalty: unlessFixed('frequencyPenalty', sampling.frequencyPenalty, 0),
    logit_bias: bias === undefined ? undefined : new RawJson(bias),
    seed: sampling.seed,
    stop: encodeStop(sampling.stop, target, notes),
  }
}

function encodeStop(
  stop: readonly string[] | undefined,
  target: Target,
  notes: Notes,
): readonly string[] | undefined {
  if (!stop || stop.length === 0) return undefined
  const most = target.traits.stopMax ?? stopMax
  if (most === 0) {
    notes.lossy('stop')
    return undefined
  }
  if (stop.length > most)
    notes.refuse(
      'stop',
      `The upstream of this model accepts at most ${most} stop sequences. Send fewer.`,
    )
  return stop
}

export interface WireFormat {
  readonly responseFormat: JsonObject | undefined
  /** Instructions for the model, where the server cannot enforce a format. */
  readonly instruction: string | undefined
}

export function encodeFormat(
  format: OutputFormat | undefined,
  target: Target,
  notes: Notes,
): WireFormat {
  const support = target.traits.structuredOutput ?? 'json_schema'
  if (!format) return { responseFormat: undefined, instruction: undefined }
  if (format.type === 'json-schema' && support === 'json_schema')
    return { responseFormat: encodeSchema(format), instruction: undefined }
  const responseFormat = support === 'none' ? undefined : { type: 'json_object' }
  if (format.type === 'json-object') {
    if (responseFormat) return { responseFormat, instruction: undefined }
    notes.lossy('format', 'weakened')
    return { responseFormat, instruction: 'Answer with one JSON object and nothing else.' }
  }
  if (format.isStrict) {
    notes.refuse(
      'format',
      'The upstream of this model cannot enforce a JSON Schema. Leave "strict" out, or choose another model.',
    )
  }
  notes.lossy('format', 'weakened')
  const instruction = `Answer with one JSON object and nothing else. It must match this JSON Schema:\n${format.schema}`
  return { responseFormat, instruction }
}

function encodeSchema(format: Extract<OutputFormat, { type: 'json-schema' }>): JsonObject {
  return {
    type: 'json_schema',
    json_schema: {
      name: format.name ?? 'response',
      description: format.description,
      schema: new RawJson(format.schema),
      strict: format.isStrict ?? false,
    },
  }
}
