import { describe, expect, test } from 'bun:test'
import { closeObjects } from '../../../../src/protocols/schema/close-objects.ts'
import { schemaFromGemini } from '../../../../src/protocols/schema/schema-from-gemini.ts'
import { satisfiesStrict } from '../../../../src/protocols/schema/strict-schema.ts'
import { schemaWork } from './schema-work.ts'

describe('closing objects', () => {
  const rows: [string, string, string][] = [
    [
      'an object',
      '{"type":"object","properties":{}}',
      '{"type":"object","properties":{},"additionalProperties":false}',
    ],
    [
      'an open object',
      '{"additionalProperties":true,"type":"object"}',
      '{"additionalProperties":false,"type":"object"}',
    ],
    [
      'a nullable object',
      '{"type":["object","null"]}',
      '{"type":["object","null"],"additionalProperties":false}',
    ],
    [
      'an object without a type',
      '{"properties":{"a":{}}}',
      '{"properties":{"a":{}},"additionalProperties":false}',
    ],
    [
      'objects at every level',
      '{"type":"array","items":{"anyOf":[{"type":"object","properties":{"x":{"type":"object"}}}]},"$defs":{"D":{"type":"object"}}}',
      '{"type":"array","items":{"anyOf":[{"type":"object","properties":{"x":{"type":"object","additionalProperties":false}},"additionalProperties":false}]},"$defs":{"D":{"type":"object","additionalProperties":false}}}',
    ],
    [
      'numbers keep their spelling',
      '{"type":"object","properties":{"n":{"maximum":1.0,"minimum":12345678901234567890}}}',
      '{"type":"object","properties":{"n":{"maximum":1.0,"minimum":12345678901234567890}},"additionalProperties":false}',
    ],
  ]
  test.each(rows)('%s', (_, schema, expected) => {
    expect(closeObjects(schema, schemaWork())).toBe(expected)
    expect(closeObjects(expected, schemaWork())).toBe(expected)
  })

  const kept = [
    '{ "type": "object",  "additionalProperties": false }',
    '{ "type": "string" }',
    '{"type":"object","additionalProperties":{"type":"string"}}',
    '{"type":"object", "allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}',
    '{"enum":[{"type":"object"}], "default":{"properties":{}}}',
    'true',
    'not JSON',
    '1.0',
    '[{"type":"object"}]',
  ]
  test.each(kept)('%s keeps every byte', (schema) => {
    expect(closeObjects(schema, schemaWork())).toBe(schema)
  })
})

describe('strict schemas', () => {
  const strict = [
    '{"type":"object","properties":{},"additionalProperties":false}',
    '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}',
    '{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/$defs/D"},{"type":"null"}]}},"required":["a"],"additionalProperties":false,"$defs":{"D":{"enum":["x"]}}}',
  ]
  test.each(strict)('%s is', (schema) => {
    expect(satisfiesStrict(schema, schemaWork())).toBe(true)
  })

  const loose = [
    '{}',
    'true',
    'nonsense',
    '{"type":"string"}',
    '{"type":"object"}',
    '{"type":"object","properties":{}}',
    '{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}',
    '{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}',
    '{"type":"object","properties":{"a":{"type":"object","properties":{}}},"required":["a"],"additionalProperties":false}',
    '{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false}',
    '{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}},"required":["a"],"additionalProperties":false}',
    '{"type":"object","properties":{"a":{"oneOf":[{"type":"string"}]}},"required":["a"],"additionalProperties":false}',
    '{"type":"object","properties":{},"additionalProperties":false,"$defs":{"D":{"type":"object"}}}',
    '{"type":"object","additionalProperties":{"type":"string"}}',
  ]
  test.each(loose)('%s is not', (schema) => {
    expect(satisfiesStrict(schema, schemaWork())).toBe(false)
  })
})

describe('a schema from Gemini in standard form', () => {
  const rows: [string, string, string][] = [
    [
      'types',
      '{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}',
      '{"type":"object","properties":{"a":{"type":"string"}}}',
    ],
    ['types in a list', '{"type":["STRING","NULL"]}', '{"type":["string","null"]}'],
    ['an unspecified type', '{"type":"TYPE_UNSPECIFIED","title":"t"}', '{"title":"t"}'],
    ['nullable', '{"type":"STRING","nullable":true}', '{"type":["string","null"]}'],
    [
      'nullable with values',
      '{"type":"STRING","format":"enum","enum":["a"],"nullable":true}',
      '{"type":["string","null"],"enum":["a",null]}',
    ],
    [
      'nullable alternatives',
      '{"anyOf":[{"type":"STRING"}],"nullable":true}',
      '{"anyOf":[{"type":"string"},{"type":"null"}]}',
    ],
    ['not nullable', '{"type":"STRING","nullable":false}', '{"type":"string"}'],
    [
      'counts as strings',
      '{"type":"ARRAY","minItems":"3","maxItems":"12345678901234567890"}',
      '{"type":"array","minItems":3,"maxItems":12345678901234567890}',
    ],
    [
      'snake_case names',
      '{"any_of":[{"type":"ARRAY","min_items":"1"}],"property_ordering":["a"]}',
      '{"anyOf":[{"type":"array","minItems":1}]}',
    ],
    [
      'property order and example',
      '{"type":"OBJECT","propertyOrdering":["a"],"example":{"a":1}}',
      '{"type":"object"}',
    ],
    [
      'properties named like keywords',
      '{"type":"OBJECT","properties":{"type":{"type":"STRING"},"nullable":{"type":"BOOLEAN"},"example":{"type":"INTEGER","format":"int64"},"min_items":{"type":"NUMBER"}}}',
      '{"type":"object","properties":{"type":{"type":"string"},"nullable":{"type":"boolean"},"example":{"type":"integer","format":"int64"},"min_items":{"type":"number"}}}',
    ],
  ]
  test.each(rows)('%s', (_, schema, expected) => {
    expect(schemaFromGemini(schema, schemaWork())).toBe(expected)
    expect(schemaFromGemini(expected, schemaWork())).toBe(expected)
  })

  const kept = [
    '{ "type":"object", "properties":{"a":{"type":["string","null"],"minimum":1.0}} }',
    '{"type":"string", "enum":["STRING"], "default":"NUMBER"}',
    '{"type":"array", "minItems":"several"}',
    'nonsense',
  ]
  test.each(kept)('%s keeps every byte', (schema) => {
    expect(schemaFromGemini(schema, schemaWork())).toBe(schema)
  })
})
