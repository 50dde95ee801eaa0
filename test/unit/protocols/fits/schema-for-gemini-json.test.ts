import { describe, expect, test } from 'bun:test'
import { schemaForGemini } from '../../../../src/protocols/schema/schema-for-gemini.ts'
import { schemaWork } from './schema-work.ts'

function json(schema: unknown): unknown {
  return JSON.parse(schemaForGemini(JSON.stringify(schema), 'json', schemaWork()))
}

const text = { type: 'string' }

describe('a schema for Gemini as JSON Schema', () => {
  const kept = [
    '{ "type":"object", "properties":{"a":{"type":["string","null"],"format":"uri"}}, "required":["a"], "additionalProperties":false }',
    '{"$defs":{"D":{"type":"object","properties":{"next":{"$ref":"#/$defs/D"}}}},"$ref":"#/$defs/D"}',
    '{"type":"array","prefixItems":[{"type":"string"}],"items":{"oneOf":[{"minimum":1.0},{"maximum":1e400}]}}',
    '{"type":"object","properties":{"default":{"type":"string"},"const":{},"allOf":{"type":"number"}}}',
    'nonsense',
    'true',
  ]
  test.each(kept)('%s keeps every byte', (schema) => {
    expect(schemaForGemini(schema, 'json', schemaWork())).toBe(schema)
  })

  const rows: [string, unknown, unknown][] = [
    ['a constant', { const: 'a' }, { enum: ['a'] }],
    ['a constant null', { const: null }, { enum: [null] }],
    [
      'unknown keywords',
      {
        $schema: 'x',
        $comment: 'c',
        type: 'object',
        patternProperties: { a: text },
        not: text,
        if: {},
        else: {},
        properties: {
          a: {
            ...text,
            pattern: '^a',
            default: 'a',
            examples: ['a'],
            minLength: 1,
            uniqueItems: true,
          },
        },
      },
      { type: 'object', properties: { a: text } },
    ],
    [
      'exclusive bounds of integers',
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
      { type: 'integer', minimum: 1, maximum: 9 },
    ],
    [
      'exclusive bounds of other numbers',
      { type: 'number', exclusiveMinimum: 0.5 },
      { type: 'number', minimum: 0.5 },
    ],
    [
      'exclusive bounds in the old form',
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      { type: 'number', minimum: 1 },
    ],
    [
      'definitions',
      { definitions: { D: text }, properties: { a: { $ref: '#/definitions/D' } } },
      { properties: { a: { $ref: '#/$defs/D' } }, $defs: { D: text } },
    ],
    [
      'keywords beside a reference',
      {
        $defs: { D: text },
        properties: { a: { $ref: '#/$defs/D', description: 'd', default: 1 } },
      },
      { $defs: { D: text }, properties: { a: { $ref: '#/$defs/D' } } },
    ],
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'a tuple in the old form',
      { type: 'array', items: [text, { const: 1 }] },
      { type: 'array', prefixItems: [text, { enum: [1] }] },
    ],
    [
      'boolean schemas',
      { properties: { a: true }, items: true, additionalProperties: false },
      { properties: { a: {} }, items: {}, additionalProperties: false },
    ],
    [
      'allOf around a reference',
      {
        $defs: { D: text },
        properties: { a: { allOf: [{ $ref: '#/$defs/D' }], description: 'd' } },
      },
      { $defs: { D: text }, properties: { a: { $ref: '#/$defs/D' } } },
    ],
    [
      'allOf of several',
      {
        $defs: { D: { type: 'object', properties: { a: text }, required: ['a'] } },
        allOf: [{ $ref: '#/$defs/D' }, { properties: { b: { const: 1 } }, required: ['b'] }],
      },
      {
        $defs: { D: { type: 'object', properties: { a: text }, required: ['a'] } },
        type: 'object',
        properties: { a: text, b: { enum: [1] } },
        required: ['a', 'b'],
      },
    ],
    [
      'allOf inside allOf',
      {
        allOf: [
          { allOf: [{ type: 'object', properties: { a: text } }] },
          { properties: { a: { description: 'd' } } },
        ],
      },
      { type: 'object', properties: { a: { ...text, description: 'd' } } },
    ],
  ]
  test.each(rows)('%s', (_, schema, expected) => {
    expect(json(schema)).toEqual(expected)
    expect(json(expected)).toEqual(expected)
  })
})
