import { describe, expect, test } from 'bun:test'
import { schemaForClaude } from '../../../../src/protocols/schema/schema-for-claude.ts'
import { parseJson } from '../../../../src/wire/json.ts'
import { schemaWork } from './schema-work.ts'

const fitting =
  '{"type":"object","properties":{"a":{"type":"array","minItems":1}},"required":["a"],"additionalProperties":false}'

const rows: [name: string, schema: string, fitted: unknown][] = [
  [
    'open objects are closed',
    '{"type":"object","properties":{"a":{"type":"object","properties":{}}}}',
    {
      type: 'object',
      properties: { a: { type: 'object', properties: {}, additionalProperties: false } },
      additionalProperties: false,
    },
  ],
  [
    'limits become part of the description, at every level',
    '{"type":"object","additionalProperties":false,"properties":{"n":{"type":"number","minimum":0.50,"description":"A share."},"l":{"type":"array","minItems":2,"items":{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}]}}},"$defs":{"d":{"type":"string","minLength":1}}}',
    {
      type: 'object',
      additionalProperties: false,
      properties: {
        n: { type: 'number', description: 'A share. (minimum: 0.50)' },
        l: {
          type: 'array',
          items: { anyOf: [{ type: 'string', description: '(maxLength: 3)' }, { type: 'null' }] },
          description: '(minItems: 2)',
        },
      },
      $defs: { d: { type: 'string', description: '(minLength: 1)' } },
    },
  ],
  [
    'a property may be named like a limit, and an example may contain one',
    '{"type":"object","additionalProperties":false,"properties":{"minimum":{"type":"integer"}},"default":{"maximum":1}}',
    {
      type: 'object',
      additionalProperties: false,
      properties: { minimum: { type: 'integer' } },
      default: { maximum: 1 },
    },
  ],
]

describe('messages: a schema for guaranteed output', () => {
  test('a schema that fits stays unchanged', () => {
    expect(schemaForClaude(fitting, schemaWork())).toBe(fitting)
  })

  test.each(rows)('%s', (_, schema, fitted) => {
    expect(parseJson(schemaForClaude(schema, schemaWork()))).toEqual(fitted)
  })

  test('a schema that nests too deep stays unchanged and breaks nothing', () => {
    const depth = 300
    const deep = `${'{"items":'.repeat(depth)}{"minimum":1}${'}'.repeat(depth)}`
    expect(() => schemaForClaude(deep, schemaWork())).not.toThrow()
  })
})
