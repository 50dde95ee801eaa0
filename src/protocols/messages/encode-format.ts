import type { OutputFormat } from '../../core/model-request.ts'
import { RawJson } from '../../wire/exact-json.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { Notes } from '../notes.ts'
import type { Target } from '../translation.ts'
import { fitSchema } from './fit-schema.ts'

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
    const schema = new RawJson(fitSchema(format.schema, notes.schemaWork('format')))
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
