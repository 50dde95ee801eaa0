import type { JsonText } from '../../core/neutral/model-request.ts'
import { parseExact, writeJson } from '../../wire/exact-json.ts'
import type { JsonObject } from '../../wire/json.ts'
import { countNodes, type SchemaWork } from './schema-work.ts'
import { isSchema } from './subschemas.ts'

/**
 * Changes a schema in text form. Text that is not a schema, or needs no change, keeps every byte. Throws a 400 when the
 * schemas of the request exceed the work limit of one request.
 */
export function changeSchema(
  json: JsonText,
  work: SchemaWork,
  change: (schema: JsonObject) => JsonObject,
): JsonText {
  work.spendText(json)
  const schema = parseExact(json)
  if (!isSchema(schema)) return json
  work.spend(countNodes(schema, new Map()))
  const changed = change(schema)
  return changed === schema ? json : writeJson(changed)
}
