import type { OutputFormat } from '../../core/model-request.ts'
import { RawJson } from '../../wire/exact-json.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { Notes } from '../notes.ts'
import type { Target } from '../translation.ts'

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
