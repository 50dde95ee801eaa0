import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { schemaForGemini } from '../../../../src/protocols/schema-for-gemini.ts'
import { schemaFromGemini } from '../../../../src/protocols/schema-from-gemini.ts'

function json(schema: unknown): unknown {
  return JSON.parse(schemaForGemini(JSON.stringify(schema), 'json'))
}

function classic(schema: unknown): unknown {
  return JSON.parse(schemaForGemini(JSON.stringify(schema), 'classic'))
}

const text = { type: 'string' }

describe('any schema for Gemini', () => {
  test('references that double at every level end, and so do loops of allOf', () => {
    const levels = Array.from({ length: 60 }, (_, level) => {
      const ref = { $ref: `#/$defs/L${level + 1}` }
      return [`L${level}`, { type: 'object', properties: { a: ref, b: ref } }] as const
    })
    const doubling = { $defs: Object.fromEntries(levels), $ref: '#/$defs/L0' }
    expect(JSON.stringify(classic(doubling)).length).toBeLessThan(1_000_000)
    const ref = { $ref: '#/$defs/A' }
    const loop = {
      $defs: { A: { allOf: [ref, ref, { properties: { a: text } }] } },
      allOf: [ref, { type: 'object' }],
    }
    expect(classic(loop)).toMatchObject({ type: 'OBJECT' })
    expect(json(loop)).toMatchObject({ type: 'object' })
  })

  test('whatever the schema: both forms end without throwing, give JSON, and are at rest', () => {
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
    fc.assert(
      fc.property(value, (schema) => {
        const written = JSON.stringify(schema)
        for (const form of ['json', 'classic'] as const) {
          const once = schemaForGemini(written, form)
          expect(() => JSON.parse(once)).not.toThrow()
          expect(JSON.parse(schemaForGemini(once, form))).toEqual(JSON.parse(once))
          expect(() => schemaFromGemini(once)).not.toThrow()
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('what was made classic comes back with the same meaning', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: ['string', 'null'] },
        b: { type: 'array', items: { type: 'number', minimum: 1 } },
      },
      required: ['a'],
    }
    expect(JSON.parse(schemaFromGemini(JSON.stringify(classic(schema))))).toEqual(schema)
  })
})
