import type { JsonObject } from '../../wire/json.ts'
import { inclusiveBounds } from './inclusive-bounds.ts'
import { mergeAllOf } from './merge-all-of.ts'
import { SchemaRefs } from './schema-refs.ts'
import type { SchemaWork } from './schema-work.ts'
import { isList, isSchema, keepMembers, mapMembers, mapSubschemas } from './subschemas.ts'

const keywords = new Set([
  '$id',
  '$defs',
  '$ref',
  '$anchor',
  'type',
  'format',
  'title',
  'description',
  'enum',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'anyOf',
  'oneOf',
  'properties',
  'additionalProperties',
  'required',
  'propertyOrdering',
])

/** Converts a schema to the JSON Schema keywords that Gemini knows. Returns the same object if it uses no others. */
export function geminiJsonSchema(root: JsonObject, work: SchemaWork): JsonObject {
  const refs = new SchemaRefs(root, work)
  const write = (schema: JsonObject, outer: readonly string[], depth: number): JsonObject => {
    work.checkDepth(depth)
    work.spend(1 + Object.keys(schema).length)
    const { merged, path } = mergeAllOf(schema, refs, outer)
    const changed = withKnownKeywords(merged)
    const known = keepMembers(changed, (name) => isKnown(name, changed))
    return mapSubschemas(withoutBooleans(known), (inner) => write(inner, path, depth + 1))
  }
  return write(root, [], 0)
}

/** Beside a reference, Gemini allows only keywords that begin with a dollar sign. */
function isKnown(name: string, schema: JsonObject): boolean {
  return keywords.has(name) && (schema['$ref'] === undefined || name.startsWith('$'))
}

/** Rewrites keywords that have an equivalent in Gemini. */
function withKnownKeywords(schema: JsonObject): JsonObject {
  let changed = inclusiveBounds(schema)
  const { $ref: ref, const: constant, enum: values, nullable, type, items, definitions } = changed
  if (typeof ref === 'string' && ref.startsWith('#/definitions/')) {
    changed = { ...changed, $ref: ref.replace('#/definitions/', '#/$defs/') }
  }
  if (isSchema(definitions)) {
    const { $defs } = changed
    changed = { ...changed, $defs: isSchema($defs) ? { ...definitions, ...$defs } : definitions }
  }
  if (constant !== undefined && values === undefined) changed = { ...changed, enum: [constant] }
  if (nullable === true && typeof type === 'string') changed = { ...changed, type: [type, 'null'] }
  if (isList(items))
    changed = { ...keepMembers(changed, (name) => name !== 'items'), prefixItems: items }
  return changed
}

/** `true` allows everything, as an empty schema does, but only the empty schema can be the schema of a member. */
function withoutBooleans(schema: JsonObject): JsonObject {
  const asSchema = (value: unknown) => (typeof value === 'boolean' ? {} : value)
  return mapMembers(schema, (value, keyword) => {
    if (keyword === 'items') return asSchema(value)
    const holdsSchemas = keyword === 'properties' || keyword === '$defs'
    return holdsSchemas && isSchema(value) ? mapMembers(value, asSchema) : value
  })
}
