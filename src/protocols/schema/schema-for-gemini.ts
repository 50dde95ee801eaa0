import type { JsonText } from '../../core/model-request.ts'
import { changeSchema } from './change-schema.ts'
import { classicSchema } from './classic-schema.ts'
import { geminiJsonSchema } from './gemini-json-schema.ts'
import type { SchemaWork } from './schema-work.ts'

/**
 * A JSON Schema made fit for Gemini: `json` for the fields that take JSON Schema and know only some of its
 * words, `classic` for the older ones that take a subset of OpenAPI.
 */
export function schemaForGemini(
  json: JsonText,
  form: 'json' | 'classic',
  work: SchemaWork,
): JsonText {
  const change = form === 'json' ? geminiJsonSchema : classicSchema
  return changeSchema(json, work, (schema) => change(schema, work))
}
