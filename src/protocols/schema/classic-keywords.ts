import type { JsonObject } from '../../wire/json.ts'
import { isList, isSchema, keepMembers } from './subschemas.ts'

/** The keywords for each type in the subset of OpenAPI that older Gemini models accept. */
const keywordsOfType: Readonly<Record<string, readonly string[]>> = {
  STRING: ['format', 'minLength', 'maxLength', 'pattern'],
  NUMBER: ['format', 'minimum', 'maximum'],
  INTEGER: ['format', 'minimum', 'maximum'],
  BOOLEAN: [],
  ARRAY: ['minItems', 'maxItems'],
  OBJECT: ['minProperties', 'maxProperties', 'propertyOrdering'],
  NULL: [],
}
const formatsOfType: Readonly<Record<string, readonly string[]>> = {
  STRING: ['enum', 'date-time'],
  NUMBER: ['float', 'double'],
  INTEGER: ['int32', 'int64'],
}
const annotations = new Set(['title', 'description', 'default', 'example'])

/** The descriptive keywords of a schema, whatever its type. */
export function annotationsOf(schema: JsonObject): JsonObject {
  return keepMembers(schema, isAnnotation)
}

export function isAnnotation(name: string): boolean {
  return annotations.has(name)
}

/** The keywords of a schema that apply to this type, except members and items. */
export function keywordsFor(type: string, schema: JsonObject): JsonObject {
  const allowed = keywordsOfType[type] ?? []
  return keepMembers(schema, (name, value) => {
    if (name !== 'format') return allowed.includes(name) || annotations.has(name)
    return typeof value === 'string' && formatsOfType[type]?.includes(value) === true
  })
}

/** The allowed values, null included; undefined when all values are allowed. */
export function valuesOf({
  const: constant,
  enum: values,
}: JsonObject): readonly unknown[] | undefined {
  if (isList(values)) return values
  return constant === undefined ? undefined : [constant]
}

export function isNullable(schema: JsonObject): boolean {
  const holdsNull = (list: readonly unknown[]) => list.length > 1 && list.includes('NULL')
  return (
    schema['nullable'] === true ||
    holdsNull(namedTypes(schema)) ||
    valuesOf(schema)?.includes(null) === true ||
    alternatives(schema).some(isNull)
  )
}

/** The types of the values other than null; guessed if the schema has none. */
export function typesOf(schema: JsonObject, isRoot: boolean): readonly string[] {
  const types = namedTypes(schema)
  if (types.length > 1) return types.filter((type) => type !== 'NULL')
  return types.length === 1 ? types : [guessedType(schema, isRoot)]
}

/**
 * The alternatives of a schema, except null. An alternative without a type gets the outer type. A schema with its own
 * members keeps them, and alternatives that only restrict their combination are dropped.
 */
export function choicesOf(schema: JsonObject): readonly JsonObject[] {
  if (schema['properties'] !== undefined) return []
  const { type } = schema
  return alternatives(schema)
    .filter((choice) => !isNull(choice))
    .map((choice) => (type === undefined || hasShape(choice) ? choice : { type, ...choice }))
}

function alternatives({ anyOf, oneOf }: JsonObject): readonly JsonObject[] {
  const list = anyOf ?? oneOf
  return isList(list) ? list.filter(isSchema) : []
}

function hasShape({ type, $ref: ref, anyOf, oneOf, allOf }: JsonObject): boolean {
  return [type, ref, anyOf, oneOf, allOf].some((word) => word !== undefined)
}

/** Whether the schema itself allows only null. */
export function isNull(schema: JsonObject): boolean {
  const values = valuesOf(schema)
  if (values) return values.every((value) => value === null)
  return namedTypes(schema).join() === 'NULL'
}

function namedTypes({ type }: JsonObject): readonly string[] {
  const types: readonly unknown[] = isList(type) ? type : [type]
  const known = types
    .filter((each) => typeof each === 'string')
    .map((each) => each.toUpperCase())
    .filter((each) => Object.hasOwn(keywordsOfType, each))
  // A schema is written once for each type, so a duplicate type must not double its contents.
  return known.length > 1 ? [...new Set(known)] : known
}

/** A string can hold whatever a model writes. Arguments as a whole are an object. */
function guessedType(schema: JsonObject, isRoot: boolean): string {
  if (schema['properties'] !== undefined || isRoot) return 'OBJECT'
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'ARRAY'
  return schema['minimum'] !== undefined || schema['maximum'] !== undefined ? 'NUMBER' : 'STRING'
}
