import { describe, expect, test } from 'bun:test'
import type { Tool, ToolChoice } from '../../../../src/core/neutral/model-request.ts'
import { decode, decodeText } from './helpers.ts'

describe('the tools of a responses request', () => {
  const loose = '{"type":"object","properties":{"a":{"type":"string"}}}'
  const strict =
    '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}'
  const tools: [string, string, unknown[]][] = [
    [
      'strict is the default if the schema can be strict',
      `[{"type":"function","name":"a","parameters":${strict}},{"type":"function","name":"b","parameters":${loose},"strict":null},{"type":"function","name":"c","parameters":${strict},"strict":false}]`,
      [
        { type: 'function', name: 'a', schema: strict, isStrict: true },
        { type: 'function', name: 'b', schema: loose },
        { type: 'function', name: 'c', schema: strict, isStrict: false },
      ],
    ],
    [
      'no parameters',
      '[{"type":"function","name":"a","description":"d","parameters":null}]',
      [{ type: 'function', name: 'a', description: 'd' }],
    ],
    [
      'numbers in a schema keep their spelling',
      '[{"type":"function","name":"a","parameters":{"maximum":1.0,"enum":[12345678901234567890]}}]',
      [
        {
          type: 'function',
          name: 'a',
          schema: '{"maximum":1.0,"enum":[12345678901234567890]}',
        },
      ],
    ],
    [
      'a namespace with tools of both kinds',
      `[{"type":"namespace","name":"n","description":"d","tools":[{"type":"function","name":"a","parameters":${loose}},{"type":"custom","name":"p","format":{"type":"grammar","syntax":"lark","definition":"x"}}]}]`,
      [
        { type: 'function', name: 'a', namespace: 'n', schema: loose },
        {
          type: 'custom',
          name: 'p',
          namespace: 'n',
          format: '{"type":"grammar","syntax":"lark","definition":"x"}',
        },
      ],
    ],
    [
      'hosted tools',
      '[{"type":"web_search_preview"},{"type":"tool_search"}]',
      [
        {
          type: 'hosted',
          kind: 'web-search',
          name: 'web_search_preview',
          protocol: 'responses',
          json: '{"type":"web_search_preview"}',
        },
        {
          type: 'hosted',
          kind: 'other',
          name: 'tool_search',
          protocol: 'responses',
          json: '{"type":"tool_search"}',
        },
      ],
    ],
  ]
  const shown = (list: readonly Tool[]): unknown => JSON.parse(JSON.stringify(list))
  test.each(tools)('%s', (_, text, expected) => {
    const request = decodeText(`{"model":"m","input":"hi","tools":${text}}`)
    expect(shown(request.tools)).toEqual(expected)
  })

  test('tools among the items count, each once', () => {
    const item = `{"type":"additional_tools","role":"developer","tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"a","parameters":{"maximum":1.0}}]}]}`
    const found = `{"type":"tool_search_output","call_id":"t","tools":[{"type":"function","name":"b","parameters":null}]}`
    const request = decodeText(
      `{"model":"m","input":[${item},${item},${found},{"role":"user","content":"hi"}]}`,
    )
    expect(shown(request.tools)).toEqual([
      { type: 'function', name: 'a', namespace: 'n', schema: '{"maximum":1.0}' },
      { type: 'function', name: 'b' },
    ])
  })

  const choices: [unknown, ToolChoice | undefined][] = [
    ['auto', { type: 'auto' }],
    ['required', { type: 'required' }],
    ['none', { type: 'none' }],
    [null, undefined],
    [
      { type: 'function', name: 'f' },
      { type: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', name: 'p' },
      { type: 'tool', name: 'p' },
    ],
    [{ type: 'web_search_preview' }, { type: 'tool', name: 'web_search_preview' }],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'f' }, { type: 'image_generation' }],
      },
      { type: 'allowed', names: ['f', 'image_generation'], isRequired: true },
    ],
  ]
  test.each(choices)('the choice %j', (choice, expected) => {
    expect(decode({ input: 'hi', tool_choice: choice }).toolChoice).toEqual(expected)
  })
})
