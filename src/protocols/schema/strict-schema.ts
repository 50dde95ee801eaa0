import type { JsonText } from '../../core/neutral/model-request.ts'
import { isObject, type JsonObject, parseJson } from '../../wire/json.ts'
import { countNodes, type SchemaWork } from './schema-work.ts'
import { isList, mapSubschemas } from './subschemas.ts'

/** Keywords that strict schemas may not use. */
const looseKeywords = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
]
const shapeKeywords = ['type', '$ref', 'anyOf', 'enum', 'const']

/** Whether a schema satisfies the strict rules: every member is required and no others are allowed, at every level. */
export function satisfiesStrict(json: JsonText, work: SchemaWork): boolean {
  work.spendText(json)
  const schema = parseJson(json)
  if (!isObject(schema) || schema['type'] !== 'object') return false
  work.spend(countNodes(schema, new Map()))
  return isStrict(schema)
}

function isStrict(schema: JsonObject): boolean {
  if (looseKeywords.some((keyword) => schema[keyword] !== undefined)) return false
  if (!shapeKeywords.some((keyword) => schema[keyword] !== undefined)) return false
  if (!isClosed(schema)) return false
  let isEachStrict = true
  mapSubschemas(schema, (subschema) => {
    isEachStrict = isEachStrict && isStrict(subschema)
    return subschema
  })
  return isEachStrict
}

function isClosed({ type, properties, required, additionalProperties }: JsonObject): boolean {
  const types: readonly unknown[] = isList(type) ? type : [type]
  if (!types.includes('object') && properties === undefined) return true
  const names = isObject(properties) ? Object.keys(properties) : []
  const demanded = new Set(isList(required) ? required : [])
  return additionalProperties === false && names.every((name) => demanded.has(name))
}
