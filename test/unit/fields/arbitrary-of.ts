import fc from 'fast-check'

/** The part of JSON Schema that the API descriptions use. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: JsonSchema | false
  readonly prefixItems?: readonly JsonSchema[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly propertyNames?: JsonSchema
  readonly additionalProperties?: JsonSchema | false
  readonly description?: string
}

/** Values that match the schema. */
export function arbitraryOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(arbitraryOf))
  if (typeof schema.type === 'object') {
    return fc.oneof(...schema.type.map((type) => arbitraryOf({ ...schema, type })))
  }
  if (schema.type === 'string') return textOf(schema)
  if (schema.type === 'array') return listOf(schema)
  if (schema.type === 'object') return objectOf(schema)
  if (schema.type === 'integer') {
    return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 2 ** 31 })
  }
  if (schema.type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true })
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'null') return fc.constant(null)
  return fc.jsonValue()
}

/**
 * By the rules of a schema for a text: each kind of text occurs often, and creating its generator takes milliseconds.
 */
const texts = new Map<string, fc.Arbitrary<string>>()

function textOf({ pattern, minLength = 0, maxLength = 200 }: JsonSchema): fc.Arbitrary<string> {
  const key = JSON.stringify([pattern, minLength, maxLength])
  const found = texts.get(key) ?? anyText(pattern, minLength, maxLength)
  texts.set(key, found)
  return found
}

function anyText(
  pattern: string | undefined,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<string> {
  // Hardly any text of a pattern without a length would be long enough.
  if (minLength > 1 && pattern !== undefined && /^\^\[\^[^\]]*\]\*\$$/.test(pattern)) {
    return fc
      .string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 20) })
      .filter((text) => new RegExp(pattern).test(text) && Array.from(text).length <= maxLength)
  }
  const drawn =
    pattern === undefined
      ? fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 50) })
      : fc.stringMatching(new RegExp(pattern, 'u'))
  return drawn.filter((text) => {
    const { length } = Array.from(text)
    return length >= minLength && length <= maxLength
  })
}

function listOf({ items, prefixItems, ...schema }: JsonSchema): fc.Arbitrary<unknown> {
  if (prefixItems) return fc.tuple(...prefixItems.map(arbitraryOf))
  const bounds = {
    minLength: schema.minItems ?? 0,
    maxLength: Math.min(schema.maxItems ?? 5, (schema.minItems ?? 0) + 4),
  }
  const each = arbitraryOf(items === undefined || items === false ? {} : items)
  return schema.uniqueItems === true ? fc.uniqueArray(each, bounds) : fc.array(each, bounds)
}

function objectOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const {
    properties,
    required = [],
    additionalProperties,
    propertyNames = { type: 'string' },
  } = schema
  if (properties) {
    const members: Record<string, fc.Arbitrary<unknown>> = {}
    for (const [name, each] of Object.entries(properties)) members[name] = arbitraryOf(each)
    return fc.record(members, { requiredKeys: [...required] })
  }
  if (additionalProperties === undefined || additionalProperties === false) return fc.constant({})
  return fc.dictionary(
    arbitraryOf(propertyNames) as fc.Arbitrary<string>,
    arbitraryOf(additionalProperties),
    { maxKeys: 4, noNullPrototype: true },
  )
}
