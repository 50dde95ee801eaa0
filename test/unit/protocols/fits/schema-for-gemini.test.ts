import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { schemaForGemini } from '../../../../src/protocols/schema/schema-for-gemini.ts'
import { schemaFromGemini } from '../../../../src/protocols/schema/schema-from-gemini.ts'
import { repeats } from '../../../support/repeats.ts'
import { schemaWork } from './schema-work.ts'

function json(schema: unknown): unknown {
  return JSON.parse(schemaForGemini(JSON.stringify(schema), 'json', schemaWork()))
}

function classic(schema: unknown): unknown {
  return JSON.parse(schemaForGemini(JSON.stringify(schema), 'classic', schemaWork()))
}

const text = { type: 'string' }

/** An adapted schema needs no further change, and can be read back. */
function checkAtRest(schema: unknown): void {
  const written = JSON.stringify(schema)
  for (const form of ['json', 'classic'] as const) {
    const once = schemaForGemini(written, form, schemaWork())
    expect(() => JSON.parse(once)).not.toThrow()
    expect(JSON.parse(schemaForGemini(once, form, schemaWork()))).toEqual(JSON.parse(once))
    expect(() => schemaFromGemini(once, schemaWork())).not.toThrow()
  }
}

describe('any schema for Gemini', () => {
  test('loops of allOf end', () => {
    const ref = { $ref: '#/$defs/A' }
    const loop = {
      $defs: { A: { allOf: [ref, ref, { properties: { a: text } }] } },
      allOf: [ref, { type: 'object' }],
    }
    expect(classic(loop)).toMatchObject({ type: 'OBJECT' })
    expect(json(loop)).toMatchObject({ type: 'object' })
  })

  test.each<[string, unknown, unknown]>([
    ['an outer type of null', { anyOf: [{}, {}], type: 'null' }, { type: 'NULL' }],
    [
      'a reference to null beside one other type: that type, with the outer keywords',
      {
        type: 'object',
        properties: {
          a: { description: 'outer', anyOf: [{ $ref: '#/$defs/none' }, { ...text, title: 't' }] },
        },
        $defs: { none: { type: 'null' } },
      },
      {
        type: 'OBJECT',
        properties: { a: { type: 'STRING', title: 't', description: 'outer', nullable: true } },
      },
    ],
    [
      'a reference to null beside several other types',
      {
        type: 'object',
        properties: { a: { anyOf: [text, { $ref: '#/$defs/none' }, { type: 'number' }] } },
        $defs: { none: { enum: [null], type: 'null' } },
      },
      {
        type: 'OBJECT',
        properties: { a: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }], nullable: true } },
      },
    ],
  ])('null among the choices, in the classic form: %s', (_, schema, expected) => {
    expect(classic(schema)).toEqual(expected)
  })

  test('whatever the schema: both forms end without throwing, give JSON, and are stable', () => {
    const word = fc.constantFrom(
      'type',
      'properties',
      'items',
      'anyOf',
      'allOf',
      '$ref',
      '$defs',
      'enum',
      'const',
      'required',
      'nullable',
      'exclusiveMinimum',
      'prefixItems',
      'format',
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(
          'object',
          'string',
          'null',
          'array',
          '#',
          '#/$defs/a',
          '#/items',
          true,
          false,
          null,
          1,
          1.5,
          'STRING',
        ),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(word, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }))
    fc.assert(fc.property(value, checkAtRest), { numRuns: repeats(2_000) })
  })

  test('the same for any meaningful schema', () => {
    const { schema } = fc.letrec<{ schema: object; list: object[] }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 2 },
        fc.constantFrom<object>(
          {},
          { type: 'string' },
          { type: 'null' },
          { type: ['integer', 'null'] },
          { $ref: '#/$defs/a' },
          { $ref: '#/$defs/b' },
          { enum: ['x', null] },
          { const: null },
        ),
        fc.record(
          {
            type: fc.constantFrom('object', 'array', 'null', 'string', ['object', 'array']),
            description: fc.constantFrom('d'),
            anyOf: tie('list'),
            allOf: tie('list'),
            oneOf: tie('list'),
            items: tie('schema'),
            prefixItems: tie('list'),
            properties: fc.record({ a: tie('schema'), b: tie('schema') }, { requiredKeys: ['a'] }),
            required: fc.constantFrom(['a'], ['b']),
          },
          { requiredKeys: [] },
        ),
      ),
      list: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
    }))
    const root = fc
      .tuple(schema, schema, schema)
      .map(([all, a, b]) => ({ ...all, $defs: { a, b } }))
    fc.assert(fc.property(root, checkAtRest), { numRuns: repeats(400) })
  })

  test('a schema in the classic form is read back with the same meaning', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: ['string', 'null'] },
        b: { type: 'array', items: { type: 'number', minimum: 1 } },
      },
      required: ['a'],
    }
    expect(JSON.parse(schemaFromGemini(JSON.stringify(classic(schema)), schemaWork()))).toEqual(
      schema,
    )
  })
})
