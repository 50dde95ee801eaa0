import type { JsonText } from '../core/model-request.ts'
import { changeSchema } from './change-schema.ts'
import { classicSchema } from './classic-schema.ts'
import { geminiJsonSchema } from './gemini-json-schema.ts'

/**
 * A JSON Schema made fit for Gemini: `json` for the fields that take JSON Schema and know only some of its
 * words, `classic` for the older ones that take a subset of OpenAPI.
 */
export function schemaForGemini(json: JsonText, form: 'json' | 'classic'): JsonText {
  return changeSchema(json, form === 'json' ? geminiJsonSchema : classicSchema)
}
