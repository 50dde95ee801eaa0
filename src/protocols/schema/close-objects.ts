import type { JsonText } from '../../core/model-request.ts'
import type { JsonObject } from '../../wire/json.ts'
import { changeSchema } from './change-schema.ts'
import type { SchemaWork } from './schema-work.ts'
import { isList, mapSubschemas } from './subschemas.ts'

/**
 * Forbids members that no schema names, wherever the client left that open: the messages protocol demands it of
 * structured output. An answer that fits the closed schema fits the open one too.
 */
export function closeObjects(json: JsonText, work: SchemaWork): JsonText {
  return changeSchema(json, work, close)
}

function close(schema: JsonObject): JsonObject {
  const inner = mapSubschemas(schema, (subschema, keyword) =>
    // Each branch of an allOf names only some of the members; closed, no branch would allow the others'.
    keyword === 'allOf' ? mapSubschemas(subschema, close) : close(subschema),
  )
  const { additionalProperties } = inner
  const isOpen = additionalProperties === undefined || additionalProperties === true
  return isOpen && isOfObjects(inner) ? { ...inner, additionalProperties: false } : inner
}

function isOfObjects({ type, properties, allOf }: JsonObject): boolean {
  if (allOf !== undefined) return false
  const types: readonly unknown[] = isList(type) ? type : [type]
  return types.includes('object') || (type === undefined && properties !== undefined)
}
