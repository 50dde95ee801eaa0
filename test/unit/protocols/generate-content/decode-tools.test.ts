import { describe, expect, test } from 'bun:test'
import { decode } from './build.ts'

const contents = 'hi'

describe('tools', () => {
  test('functions and tools of the vendor in one object, both spellings, both schemas', () => {
    const { tools } = decode({
      contents,
      tools: [
        {
          function_declarations: [
            { name: 'a', description: 'd', parametersJsonSchema: { type: 'object' } },
            { name: 'b', parameters: { type: 'OBJECT', properties: { n: { type: 'INTEGER' } } } },
            { name: 'c' },
          ],
          googleSearch: {},
        },
        { codeExecution: {} },
      ],
    })
    expect(tools).toMatchObject([
      { type: 'function', name: 'a', description: 'd', schema: '{"type":"object"}' },
      {
        type: 'function',
        name: 'b',
        schema: '{"type":"object","properties":{"n":{"type":"integer"}}}',
      },
      { type: 'function', name: 'c', schema: undefined },
      { type: 'hosted', kind: 'web-search', json: '{"googleSearch":{}}' },
      { type: 'hosted', kind: 'other', name: 'codeExecution' },
    ])
  })

  test('types by their numbers, as clients made from Google’s interface definitions write them', () => {
    const parameters = {
      type: 6,
      properties: {
        city: { type: 1 },
        days: { type: 5, items: { type: 3 } },
        warm: { type: 4, nullable: true },
        degrees: { type: 2 },
        nothing: { type: 7 },
        any: { type: 0 },
        odd: { type: 99 },
      },
    }
    const { tools } = decode({
      contents,
      tools: [{ functionDeclarations: [{ name: 'a', parameters }] }],
    })
    expect(tools).toMatchObject([
      {
        schema: JSON.stringify({
          type: 'object',
          properties: {
            city: { type: 'string' },
            days: { type: 'array', items: { type: 'integer' } },
            warm: { type: ['boolean', 'null'] },
            degrees: { type: 'number' },
            nothing: { type: 'null' },
            any: {},
            odd: {},
          },
        }),
      },
    ])
  })

  test('one tool alone, and a function without a name', () => {
    expect(decode({ contents, tools: { functionDeclarations: { name: 'a' } } }).tools).toHaveLength(
      1,
    )
    expect(() => decode({ contents, tools: [{ functionDeclarations: [{}] }] })).toThrow(
      'tools[0].functionDeclarations[0].name',
    )
  })

  const choices: [config: object, choice: unknown][] = [
    [{ mode: 'AUTO' }, { type: 'auto' }],
    [{ mode: 'any' }, { type: 'required' }],
    [{ mode: 'NONE' }, { type: 'none' }],
    [{ mode: 'VALIDATED' }, { type: 'auto' }],
    [
      { mode: 'ANY', allowedFunctionNames: ['a'] },
      { type: 'tool', name: 'a' },
    ],
    [
      { mode: 'ANY', allowed_function_names: ['a', 'b'] },
      { type: 'allowed', names: ['a', 'b'], isRequired: true },
    ],
    [
      { mode: 'VALIDATED', allowedFunctionNames: ['a'] },
      { type: 'allowed', names: ['a'], isRequired: false },
    ],
    [{ mode: 'MODE_UNSPECIFIED' }, undefined],
    [{ mode: 0 }, undefined],
    [{ mode: 1 }, { type: 'auto' }],
    [{ mode: 2 }, { type: 'required' }],
    [{ mode: 3 }, { type: 'none' }],
    [{ mode: 4 }, { type: 'auto' }],
    [{ mode: 9 }, undefined],
    [{}, undefined],
  ]

  test.each(choices)('%j', (functionCallingConfig, choice) => {
    expect(decode({ contents, toolConfig: { functionCallingConfig } }).toolChoice).toEqual(
      choice as never,
    )
    expect(
      decode({ contents, tool_config: { function_calling_config: functionCallingConfig } })
        .toolChoice,
    ).toEqual(choice as never)
  })
})
