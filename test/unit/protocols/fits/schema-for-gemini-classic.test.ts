import { describe, expect, test } from 'bun:test'
import { schemaForGemini } from '../../../../src/protocols/schema/schema-for-gemini.ts'
import { schemaWork } from './schema-work.ts'

function classic(schema: unknown): unknown {
  return JSON.parse(schemaForGemini(JSON.stringify(schema), 'classic', schemaWork()))
}

const text = { type: 'string' }

describe('a schema for Gemini in the classic form', () => {
  const rows: [string, unknown, unknown][] = [
    [
      'types',
      {
        type: 'object',
        properties: { a: text, n: { type: 'integer', format: 'int32' } },
        required: ['a'],
      },
      {
        type: 'OBJECT',
        properties: { a: { type: 'STRING' }, n: { type: 'INTEGER', format: 'int32' } },
        required: ['a'],
      },
    ],
    [
      'a type or null',
      { type: ['string', 'null'], description: 'd' },
      { type: 'STRING', description: 'd', nullable: true },
    ],
    [
      'null among alternatives',
      { anyOf: [{ type: 'integer' }, { type: 'null' }], title: 't' },
      { type: 'INTEGER', title: 't', nullable: true },
    ],
    [
      'several types',
      { type: ['string', 'array', 'null'], items: text, minLength: 1, description: 'd' },
      {
        description: 'd',
        anyOf: [
          { type: 'STRING', minLength: 1 },
          { type: 'ARRAY', items: { type: 'STRING' } },
        ],
        nullable: true,
      },
    ],
    [
      'alternatives',
      { oneOf: [text, { type: 'object', properties: { a: text } }] },
      { anyOf: [{ type: 'STRING' }, { type: 'OBJECT', properties: { a: { type: 'STRING' } } }] },
    ],
    [
      'alternatives that share a type',
      { type: 'string', anyOf: [{ minLength: 1 }, { pattern: 'a' }] },
      {
        anyOf: [
          { type: 'STRING', minLength: 1 },
          { type: 'STRING', pattern: 'a' },
        ],
      },
    ],
    [
      'alternatives of what is required',
      {
        type: 'object',
        properties: { a: text, b: text },
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      { type: 'OBJECT', properties: { a: { type: 'STRING' }, b: { type: 'STRING' } } },
    ],
    [
      'values',
      { enum: ['a', 'b', null, ''] },
      { type: 'STRING', enum: ['a', 'b'], nullable: true },
    ],
    [
      'enum values that are not strings',
      { type: 'integer', enum: [1, 2] },
      { type: 'STRING', enum: ['1', '2'] },
    ],
    [
      'a constant',
      { const: 'a', description: 'd' },
      { type: 'STRING', description: 'd', enum: ['a'] },
    ],
    ['a boolean schema', { type: 'boolean', enum: [true] }, { type: 'BOOLEAN' }],
    [
      'formats',
      {
        type: 'object',
        properties: {
          a: { type: 'string', format: 'uri' },
          b: { type: 'string', format: 'date-time' },
          c: { type: 'number', format: 'int32' },
        },
      },
      {
        type: 'OBJECT',
        properties: {
          a: { type: 'STRING' },
          b: { type: 'STRING', format: 'date-time' },
          c: { type: 'NUMBER' },
        },
      },
    ],
    [
      'unknown keywords',
      {
        $schema: 'x',
        type: 'object',
        additionalProperties: false,
        properties: { a: { type: 'number', exclusiveMinimum: 0, multipleOf: 2 } },
      },
      { type: 'OBJECT', properties: { a: { type: 'NUMBER', minimum: 0 } } },
    ],
    [
      'an object without properties',
      { type: 'object', properties: {}, required: [] },
      { type: 'OBJECT' },
    ],
    [
      'required properties that do not exist',
      { type: 'object', properties: { a: text }, required: ['a', 'b'] },
      { type: 'OBJECT', properties: { a: { type: 'STRING' } }, required: ['a'] },
    ],
    ['an array of anything', { type: 'array' }, { type: 'ARRAY', items: { type: 'STRING' } }],
    [
      'a tuple',
      { type: 'array', prefixItems: [text, { type: 'integer' }] },
      { type: 'ARRAY', items: { anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] } },
    ],
    [
      'a schema without a type',
      { properties: { a: {}, b: { items: text }, c: { minimum: 1 }, d: true } },
      {
        type: 'OBJECT',
        properties: {
          a: { type: 'STRING' },
          b: { type: 'ARRAY', items: { type: 'STRING' } },
          c: { type: 'NUMBER', minimum: 1 },
          d: { type: 'STRING' },
        },
      },
    ],
    [
      'references',
      {
        $defs: { D: { type: 'object', properties: { a: { $ref: '#/definitions/E~1F' } } } },
        definitions: { 'E/F': text },
        type: 'object',
        properties: { d: { $ref: '#/$defs/D', description: 'here' } },
      },
      {
        type: 'OBJECT',
        properties: {
          d: { type: 'OBJECT', description: 'here', properties: { a: { type: 'STRING' } } },
        },
      },
    ],
    [
      'references to missing definitions',
      { properties: { a: { $ref: '#/$defs/no' }, b: { $ref: 'http://x/y' } } },
      { type: 'OBJECT', properties: { a: { type: 'OBJECT' }, b: { type: 'OBJECT' } } },
    ],
    [
      'a reference to itself',
      {
        $defs: { D: { type: 'object', properties: { next: { $ref: '#/$defs/D' } } } },
        $ref: '#/$defs/D',
      },
      { type: 'OBJECT', properties: { next: { type: 'OBJECT' } } },
    ],
    [
      'the root inside itself',
      { type: 'object', properties: { child: { $ref: '#' } } },
      {
        type: 'OBJECT',
        properties: { child: { type: 'OBJECT', properties: { child: { type: 'OBJECT' } } } },
      },
    ],
    [
      'allOf',
      { allOf: [{ type: 'object', properties: { a: text } }, { properties: { b: text } }] },
      { type: 'OBJECT', properties: { a: { type: 'STRING' }, b: { type: 'STRING' } } },
    ],
  ]
  test.each(rows)('%s', (_, schema, expected) => {
    expect(classic(schema)).toEqual(expected)
    expect(classic(expected)).toEqual(expected)
  })

  const kept = [
    '{ "properties":{"a":{"type":"STRING","nullable":true}}, "type":"OBJECT" }',
    '{"type":"ARRAY", "items":{"type":"NUMBER","minimum":1.0}}',
    'nonsense',
  ]
  test.each(kept)('%s keeps every byte', (schema) => {
    expect(schemaForGemini(schema, 'classic', schemaWork())).toBe(schema)
  })

  test('big numbers survive', () => {
    const schema = '{"type":"integer","maximum":12345678901234567890,"minimum":-0}'
    expect(schemaForGemini(schema, 'classic', schemaWork())).toBe(
      '{"type":"INTEGER","maximum":12345678901234567890,"minimum":-0}',
    )
  })
})
