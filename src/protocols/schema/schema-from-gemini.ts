import type { JsonText } from '../../core/neutral/model-request.ts'
import { RawJson } from '../../wire/exact-json.ts'
import type { JsonObject } from '../../wire/json.ts'
import { changeSchema } from './change-schema.ts'
import type { SchemaWork } from './schema-work.ts'
import { isList, keepMembers, mapMembers, mapSubschemas } from './subschemas.ts'

/** Google also accepts its field names in snake case. */
const snakeNames: Readonly<Record<string, string>> = {
  any_of: 'anyOf',
  min_items: 'minItems',
  max_items: 'maxItems',
  min_length: 'minLength',
  max_length: 'maxLength',
  min_properties: 'minProperties',
  max_properties: 'maxProperties',
  property_ordering: 'propertyOrdering',
}
const numberKeywords = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
])
/** Clients that are generated from Google's interface definitions may send the number of a type instead of its name. */
const numberedTypes: readonly string[] = [
  'type_unspecified',
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
  'null',
]
const foreignKeywords = new Set(['nullable', 'propertyOrdering', 'example'])
const integer = /^-?(?:0|[1-9]\d*)$/

/** Converts a schema in Gemini's subset of OpenAPI to standard JSON Schema. A standard schema stays unchanged. */
export function schemaFromGemini(json: JsonText, work: SchemaWork): JsonText {
  return changeSchema(json, work, fromGemini)
}

function fromGemini(schema: JsonObject): JsonObject {
  const named = withStandardNames(schema)
  const inner = mapSubschemas(mapMembers(named, standardValue), fromGemini)
  const whole = inner['nullable'] === true ? withNull(inner) : inner
  return keepMembers(whole, (name, value) => !isForeign(name, value))
}

function withStandardNames(schema: JsonObject): JsonObject {
  const names = Object.keys(schema)
  if (!names.some((name) => Object.hasOwn(snakeNames, name))) return schema
  const members = Object.entries(schema).map(([name, value]): [string, unknown] => [
    Object.hasOwn(snakeNames, name) ? (snakeNames[name] ?? name) : name,
    value,
  ])
  return Object.fromEntries(members)
}

function standardValue(value: unknown, keyword: string): unknown {
  if (keyword === 'type') {
    return isList(value) ? sameList(value, value.map(typeName)) : typeName(value)
  }
  // Counts have 64 bits in Google's format, and its JSON form writes them as text.
  const isWrittenNumber =
    numberKeywords.has(keyword) && typeof value === 'string' && integer.test(value)
  return isWrittenNumber ? new RawJson(value) : value
}

function typeName(type: unknown): unknown {
  if (typeof type === 'number') return numberedTypes[type] ?? 'type_unspecified'
  return typeof type === 'string' ? type.toLowerCase() : type
}

function sameList(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((each, index) => each === before[index]) ? before : after
}

function isForeign(name: string, value: unknown): boolean {
  if (name === 'type') return value === 'type_unspecified'
  return foreignKeywords.has(name) || (name === 'format' && value === 'enum')
}

function withNull(schema: JsonObject): JsonObject {
  const { type, enum: values, anyOf } = schema
  const isTyped = typeof type === 'string' && type !== 'type_unspecified'
  return {
    ...schema,
    ...(isTyped && type !== 'null' ? { type: [type, 'null'] } : {}),
    ...(isList(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
    ...(!isTyped && isList(anyOf) ? { anyOf: [...anyOf, { type: 'null' }] } : {}),
  }
}
