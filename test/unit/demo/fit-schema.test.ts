import { describe, expect, test } from 'bun:test'
import { fitSchema } from '../../../src/demo/upstream/fit-schema.ts'

const cases: readonly { readonly schema: unknown; readonly value: unknown }[] = [
  { schema: {}, value: 'word' },
  { schema: undefined, value: 'word' },
  { schema: { type: 'string' }, value: 'word' },
  { schema: { type: 'STRING' }, value: 'word' },
  { schema: { type: ['null', 'integer'] }, value: 1 },
  { schema: { type: 'integer', minimum: 5 }, value: 5 },
  { schema: { type: 'integer', maximum: -3 }, value: -3 },
  { schema: { type: 'number', multipleOf: 4 }, value: 4 },
  { schema: { type: 'boolean' }, value: true },
  { schema: { type: 'null' }, value: null },
  { schema: { enum: ['b', 'a'] }, value: 'b' },
  { schema: { const: 7 }, value: 7 },
  { schema: { type: 'string', minLength: 6 }, value: 'wordxx' },
  { schema: { type: 'string', maxLength: 2 }, value: 'wo' },
  { schema: { type: 'string', format: 'date' }, value: '2026-01-01' },
  { schema: { type: 'array', items: { type: 'number' } }, value: [] },
  { schema: { type: 'array', items: { type: 'number' }, minItems: 2 }, value: [1, 1] },
  { schema: { anyOf: [{ type: 'number' }, { type: 'string' }] }, value: 1 },
  { schema: { type: 'object', properties: { left: { type: 'string' } } }, value: {} },
  {
    schema: {
      properties: { at: { $ref: '#/$defs/place' } },
      required: ['at'],
      $defs: { place: {} },
    },
    value: { at: 'word' },
  },
  {
    schema: { allOf: [{ properties: { one: { const: 1 } }, required: ['one'] }] },
    value: { one: 1 },
  },
]

describe('the smallest value for a schema', () => {
  const named = cases.map((row) => ({ ...row, name: JSON.stringify(row.schema) }))
  test.each(named)('$name', ({ schema, value }) => {
    expect(fitSchema(schema, 'word')).toEqual(value)
  })

  test('a schema that needs itself twice over ends, and stays small', () => {
    const node = { $ref: '#' }
    const schema = {
      type: 'object',
      properties: { one: node, two: node },
      required: ['one', 'two'],
    }
    expect(JSON.stringify(fitSchema(schema, 'word')).length).toBeLessThan(50_000)
  })

  test('a field named __proto__ is a field, and changes no prototype', () => {
    const made = fitSchema({ type: 'object', required: ['__proto__'] }, 'word')
    expect(JSON.stringify(made)).toBe('{"__proto__":"word"}')
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
  })
})
