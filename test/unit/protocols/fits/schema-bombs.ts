import type { JsonObject } from '../../../../src/wire/json.ts'

const ref = { $ref: '#/$defs/A' }

function listOf<Item>(count: number, item: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => item(index))
}

function members(count: number, value: (index: number) => unknown): JsonObject {
  return Object.fromEntries(listOf(count, (index) => [`p${index}`, value(index)]))
}

function chain(count: number, link: (next: JsonObject) => JsonObject): JsonObject {
  const links = listOf(count, (index) => [`L${index}`, link({ $ref: `#/$defs/L${index + 1}` })])
  return Object.fromEntries(links)
}

function nest(levels: number, wrap: (inner: JsonObject) => JsonObject): JsonObject {
  let schema: JsonObject = { type: 'string' }
  for (let level = 0; level < levels; level += 1) schema = wrap(schema)
  return schema
}

const object = (properties: unknown, more: JsonObject = {}) => ({
  type: 'object',
  properties,
  ...more,
})

/** Short schemas that expand to very long ones, or that are written more than once. */
export const schemaBombs: Readonly<Record<string, JsonObject>> = {
  'references that double at every level': object(
    { a: { $ref: '#/$defs/L0' } },
    { $defs: chain(60, (next) => object({ a: next, b: next })) },
  ),
  'definitions that all refer to each other': object(
    { a: { $ref: '#/$defs/p0' } },
    { $defs: members(12, () => object(members(12, (index) => ({ $ref: `#/$defs/p${index}` })))) },
  ),
  'one reference in different spellings': object(
    { a: { $ref: '#/$defs/A' } },
    {
      $defs: {
        A: object({
          a: { $ref: '#/$defs/A' },
          b: { $ref: '#/%24defs/A' },
          c: { $ref: '#/$defs/%41' },
          d: { $ref: '#/%24defs/%41' },
        }),
      },
    },
  ),
  'references to the root': object(members(40, () => ({ $ref: '#' }))),
  'references through allOf, which double': object(
    { a: { allOf: [{ $ref: '#/$defs/L0' }, { type: 'object' }] } },
    {
      $defs: chain(60, (next) =>
        object({
          a: { allOf: [next, { type: 'object' }] },
          b: { allOf: [next, { type: 'object' }] },
        }),
      ),
    },
  ),
  'a chain of allOf deeper than any stack': object(
    { a: { allOf: [{ $ref: '#/$defs/L0' }, { type: 'object' }] } },
    { $defs: chain(5_000, (next) => object({ a: { allOf: [next, { type: 'object' }] } })) },
  ),
  'an allOf that contains itself': object(
    { a: { allOf: [ref, { type: 'object' }] } },
    { $defs: { A: { allOf: listOf(2_000, () => ref) } } },
  ),
  'an allOf whose branches all add to one member': {
    type: 'object',
    allOf: listOf(4_000, (index) => ({ properties: { a: { [`x${index}`]: index } } })),
  },
  'choices of choices': object({
    a: nest(24, (inner) => ({ anyOf: [inner, { type: 'number' }, { $ref: '#/properties/a' }] })),
  }),
  'a single choice around a long list': object({
    a: nest(30, (inner) => ({ oneOf: [inner], enum: listOf(500, (index) => `v${index}`) })),
  }),
  'a duplicate type': object({
    a: nest(40, (inner) => ({ type: ['object', 'object', 'array'], properties: { a: inner } })),
  }),
  'a long list that is referenced often': object(
    members(400, () => ref),
    { $defs: { A: { enum: listOf(2_000, (index) => `value ${index}`) } } },
  ),
  'a long description that is referenced often': object(
    members(2_000, () => ref),
    { $defs: { A: { type: 'string', description: 'd'.repeat(20_000) } } },
  ),
  'a large default that is referenced often': object(
    members(400, () => ref),
    { $defs: { A: { type: 'string', default: listOf(2_000, () => ({})) } } },
  ),
  patternProperties: object(
    {},
    { patternProperties: members(3_000, () => ref), $defs: { A: object(members(50, () => ({}))) } },
  ),
  'a very large schema': object(members(60_000, () => ({ type: 'string' }))),
}
