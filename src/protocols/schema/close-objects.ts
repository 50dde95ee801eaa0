import type { JsonText } from '../../core/neutral/model-request.ts'
import type { JsonObject } from '../../wire/json.ts'
import { changeSchema } from './change-schema.ts'
import type { SchemaWork } from './schema-work.ts'
import { isList, mapSubschemas } from './subschemas.ts'

/**
 * Forbids unnamed members wherever the client left them open: the messages protocol requires this for structured
 * output. An answer that fits the closed schema also fits the open one.
 */
export function closeObjects(json: JsonText, work: SchemaWork): JsonText {
  return changeSchema(json, work, close)
}

function close(schema: JsonObject): JsonObject {
  const inner = mapSubschemas(schema, (subschema, keyword) =>
    // Each branch of an allOf names only some of the members. A closed branch would reject the members of the others.
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
