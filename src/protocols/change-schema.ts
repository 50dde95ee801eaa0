import type { JsonText } from '../core/model-request.ts'
import { parseExact, writeJson } from '../wire/exact-json.ts'
import type { JsonObject } from '../wire/json.ts'
import { isSchema } from './subschemas.ts'

/** Changes a schema that is text; what is no schema, or needs no change, keeps every byte of its spelling. */
export function changeSchema(json: JsonText, change: (schema: JsonObject) => JsonObject): JsonText {
  const schema = parseExact(json)
  if (!isSchema(schema)) return json
  const changed = change(schema)
  return changed === schema ? json : writeJson(changed)
}
