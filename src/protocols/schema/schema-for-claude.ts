import type { JsonText } from '../../core/neutral/model-request.ts'
import { jsonTextOf, parseExact, writeJson } from '../../wire/exact-json.ts'
import { isObject } from '../../wire/json.ts'
import { closeObjects } from './close-objects.ts'
import type { SchemaWork } from './schema-work.ts'

/** Constraints that the vendor's structured output does not accept. The description states them instead. */
const limits = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
]
const mayHoldLimit = new RegExp(`"(?:${[...limits, 'minItems'].join('|')})"\\s*:`)
const depthMax = 64

/** Members whose values are schemas by name, and members whose values are schemas or lists of them. */
const schemasByName = new Set(['properties', '$defs', 'definitions'])
const schemas = new Set(['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'not'])

/** A schema for structured output: closed objects, and no constraints on size or value. */
export function schemaForClaude(schema: JsonText, work: SchemaWork): JsonText {
  const closed = closeObjects(schema, work)
  return mayHoldLimit.test(closed) ? writeJson(withoutLimits(parseExact(closed), 0)) : closed
}

function withoutLimits(schema: unknown, depth: number): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutLimits(each, depth + 1))
  if (!isObject(schema) || depth > depthMax) return schema
  const fitted: Record<string, unknown> = {}
  const descriptions: string[] = []
  for (const [name, value] of Object.entries(schema)) {
    if (isLimit(name, value)) descriptions.push(`${name}: ${jsonTextOf(value)}`)
    else if (schemas.has(name)) fitted[name] = withoutLimits(value, depth + 1)
    else if (schemasByName.has(name) && isObject(value)) fitted[name] = fitEach(value, depth)
    else fitted[name] = value
  }
  if (descriptions.length > 0) {
    const { description } = schema
    const before = typeof description === 'string' && description !== '' ? `${description} ` : ''
    fitted['description'] = `${before}(${descriptions.join(', ')})`
  }
  return fitted
}

function fitEach(named: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(named).map(([name, each]) => [name, withoutLimits(each, depth + 1)]),
  )
}

/** A list may be required to be non-empty; any other minimum is a limit. */
function isLimit(name: string, value: unknown): boolean {
  return name === 'minItems' ? value !== 0 && value !== 1 : limits.includes(name)
}
