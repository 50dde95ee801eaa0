import type { JsonText } from '../../core/neutral/model-request.ts'
import { changeSchema } from './change-schema.ts'
import { classicSchema } from './classic-schema.ts'
import { geminiJsonSchema } from './gemini-json-schema.ts'
import type { SchemaWork } from './schema-work.ts'

/**
 * Fits a JSON Schema to Gemini: `json` for the fields that accept a part of JSON Schema, `classic` for the older fields
 * that accept a subset of OpenAPI.
 */
export function schemaForGemini(
  json: JsonText,
  form: 'json' | 'classic',
  work: SchemaWork,
): JsonText {
  const change = form === 'json' ? geminiJsonSchema : classicSchema
  return changeSchema(json, work, (schema) => change(schema, work))
}
