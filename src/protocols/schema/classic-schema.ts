import { jsonTextOf } from '../../wire/exact-json.ts'
import type { JsonObject } from '../../wire/json.ts'
import {
  annotationsOf,
  choicesOf,
  isAnnotation,
  isNull,
  isNullable,
  keywordsFor,
  typesOf,
  valuesOf,
} from './classic-keywords.ts'
import { inclusiveBounds } from './inclusive-bounds.ts'
import { mergeAllOf } from './merge-all-of.ts'
import { SchemaRefs } from './schema-refs.ts'
import type { SchemaWork } from './schema-work.ts'
import { isList, isSchema, keepMembers, mapMembers } from './subschemas.ts'

const depthMax = 32
/** A schema is traversed several times before it is written in this form. */
const nodesPerSchema = 4
const anyObject: JsonObject = { type: 'OBJECT' }
const anyText: JsonObject = { type: 'STRING' }

type Write = (subschema: unknown) => JsonObject

/**
 * Converts a schema to the subset of OpenAPI that older Gemini models accept. Returns the same object if it already
 * fits.
 */
export function classicSchema(root: JsonObject, work: SchemaWork): JsonObject {
  const refs = new SchemaRefs(root, work)
  const write = (schema: JsonObject, outer: readonly string[], depth: number): JsonObject => {
    if (depth > depthMax) return anyObject
    work.spend(nodesPerSchema + Object.keys(schema).length)
    const { merged: whole, path } = mergeAllOf(schema, refs, outer)
    const merged = inclusiveBounds(whole)
    if (typeof merged['$ref'] === 'string') {
      const { $ref: ref, ...own } = merged
      const target = path.includes(ref) ? undefined : refs.find(ref)
      return target ? write({ ...target, ...own }, [...path, ref], depth + 1) : anyObject
    }
    return writePlain(merged, depth === 0, (subschema) =>
      isSchema(subschema) ? write(subschema, path, depth + 1) : anyText,
    )
  }
  const classic = write(root, [], 0)
  return isSame(root, classic) ? root : classic
}

/** A schema without references and allOf. */
function writePlain(schema: JsonObject, isRoot: boolean, write: Write): JsonObject {
  const nullable = isNullable(schema) ? { nullable: true } : {}
  const choices = choicesOf(schema)
  const [only] = choices
  if (only && choices.length === 1) {
    const own = keepMembers(schema, (name) => name !== 'anyOf' && name !== 'oneOf')
    return { ...write({ ...only, ...own }), ...nullable }
  }
  const types = typesOf(schema, isRoot)
  const values = valuesOf(schema)
  if (choices.length > 1 || (types.length > 1 && !values)) {
    const each = choices.length > 1 ? choices : types.map((type) => ofType(type, schema))
    return { ...oneOfThese(each.map(write), annotationsOf(schema)), ...nullable }
  }
  const [type = 'STRING'] = types
  const texts = textsOf(values, type)
  if (texts.length === 0) return { ...writeType(type, schema, write), ...nullable }
  return { type: 'STRING', ...keywordsFor('STRING', schema), enum: texts, ...nullable }
}

/**
 * A choice may turn out to allow only null after its references are resolved. If other choices remain, `nullable`
 * expresses it.
 */
function oneOfThese(choices: readonly JsonObject[], annotations: JsonObject): JsonObject {
  const [first, ...more] = choices.filter((choice) => !isNull(choice))
  if (!first) return { type: 'NULL', ...annotations }
  const nullable = more.length + 1 < choices.length ? { nullable: true } : {}
  return more.length > 0
    ? { ...annotations, anyOf: [first, ...more], ...nullable }
    : { ...first, ...annotations, ...nullable }
}

function ofType(type: string, schema: JsonObject): JsonObject {
  const { items, prefixItems, properties, required } = schema
  const keywords = keepMembers(keywordsFor(type, schema), (name) => !isAnnotation(name))
  return { type, ...keywords, items, prefixItems, properties, required }
}

/** Only strings may be enumerated, so other values are written as their JSON. Booleans need no list. */
function textsOf(values: readonly unknown[] | undefined, type: string): readonly string[] {
  if (!values || type === 'BOOLEAN') return []
  return values
    .filter((value) => value !== null && value !== '')
    .map((value) => (typeof value === 'string' ? value : jsonTextOf(value)))
}

function writeType(type: string, schema: JsonObject, write: Write): JsonObject {
  const { items, prefixItems, properties, required } = schema
  const written = { type, ...keywordsFor(type, schema) }
  if (type === 'ARRAY') {
    const tuple = isList(items) ? items : prefixItems
    return { ...written, items: write(isList(tuple) ? { anyOf: tuple } : items) }
  }
  if (type !== 'OBJECT' || !isSchema(properties) || Object.keys(properties).length === 0) {
    return written
  }
  const demanded = isList(required)
    ? required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name))
    : []
  return {
    ...written,
    properties: mapMembers(properties, write),
    ...(demanded.length > 0 ? { required: demanded } : {}),
  }
}

function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (isList(left) && isList(right)) {
    return left.length === right.length && left.every((each, index) => isSame(each, right[index]))
  }
  if (!isSchema(left) || !isSchema(right)) return jsonTextOf(left) === jsonTextOf(right)
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSame(left[name], right[name]))
  )
}
