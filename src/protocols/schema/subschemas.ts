import { RawJson } from '../../wire/exact-json.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'

/** Keywords of JSON Schema whose members are schemas, whose items are schemas, and whose value is a schema. */
const schemaMaps = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])
const schemaLists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'])
const schemaValues = new Set([
  'items',
  'additionalProperties',
  'additionalItems',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
])

/** A number that is kept as text is an object too, but not a schema. */
export function isSchema(value: unknown): value is JsonObject {
  return isObject(value) && !(value instanceof RawJson)
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Replaces each schema directly inside the schema. Returns the same object if none changed. */
export function mapSubschemas(
  schema: JsonObject,
  change: (subschema: JsonObject, keyword: string) => unknown,
): JsonObject {
  return mapMembers(schema, (value, keyword) => {
    const changeIf = (each: unknown) => (isSchema(each) ? change(each, keyword) : each)
    if (schemaMaps.has(keyword) && isSchema(value)) return mapMembers(value, changeIf)
    if (schemaLists.has(keyword) && isList(value)) {
      const list = value.map(changeIf)
      return list.every((each, index) => each === value[index]) ? value : list
    }
    return schemaValues.has(keyword) ? changeIf(value) : value
  })
}

/** Replaces each value of the object and keeps the names and their order. Returns the same object if none changed. */
export function mapMembers(
  object: JsonObject,
  change: (value: unknown, name: string) => unknown,
): JsonObject {
  let changed: Map<string, unknown> | undefined
  for (const name of Object.keys(object)) {
    const value = object[name]
    const after = change(value, name)
    if (after === value) continue
    changed ??= new Map(Object.entries(object))
    changed.set(name, after)
  }
  return changed ? Object.fromEntries(changed) : object
}

/** Removes the members that `isKept` rejects. Returns the same object if it rejects none. */
export function keepMembers(
  object: JsonObject,
  isKept: (name: string, value: unknown) => boolean,
): JsonObject {
  const names = Object.keys(object)
  if (names.every((name) => isKept(name, object[name]))) return object
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => isKept(name, value)))
}
