import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import type { ModelRequest } from '../../../../src/core/neutral/model-request.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import { encode } from './build.ts'

const older: ModelTraits = { takesCallIds: false, schemaForm: 'classic', thinking: 'budget' }

describe('tools', () => {
  const schema =
    '{"type":"object","properties":{"n":{"type":"integer","maximum":12345678901234567890}}}'
  const f = { type: 'function', name: 'f', description: 'd', schema, isStrict: undefined } as const
  const g = { ...f, name: 'g', description: undefined, schema: undefined } as const
  const search = {
    type: 'hosted',
    kind: 'web-search',
    name: 'web_search',
    protocol: 'responses',
    json: '{}',
  } as const

  test('all functions in one object, schemas with their numbers', () => {
    const { text: sent } = encode({ tools: [f, g] })
    expect(sent).toContain(
      `"tools":[{"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":${schema}},{"name":"g"}]}]`,
    )
  })

  test('the older form', () => {
    const empty = { ...g, schema: '{"type":"object","properties":{}}' }
    const { value } = encode({ tools: [f, empty] }, older)
    expect(value['tools']).toMatchObject([
      { functionDeclarations: [{ parameters: { type: 'OBJECT' } }, { name: 'g' }] },
    ])
    expect(JSON.stringify(value)).not.toContain('parametersJsonSchema')
  })

  const choices: [choice: ModelRequest['toolChoice'], config: unknown][] = [
    [undefined, undefined],
    [{ type: 'auto' }, { mode: 'AUTO' }],
    [{ type: 'required' }, { mode: 'ANY' }],
    [{ type: 'none' }, { mode: 'NONE' }],
    [
      { type: 'tool', name: 'f' },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [
      { type: 'allowed', names: ['f', 'g'], isRequired: true },
      { mode: 'ANY', allowedFunctionNames: ['f', 'g'] },
    ],
    [
      { type: 'allowed', names: ['f'], isRequired: false },
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
    ],
  ]

  test.each(choices)('choice %j', (toolChoice, functionCallingConfig) => {
    const { value } = encode({ tools: [f, g], toolChoice })
    expect(value['toolConfig']).toEqual(
      functionCallingConfig ? { functionCallingConfig } : undefined,
    )
  })

  test('no choice without functions, and none of a missing tool', () => {
    expect(encode({ toolChoice: { type: 'required' } }).value).not.toHaveProperty('toolConfig')
    expect(() => encode({ tools: [f], toolChoice: { type: 'tool', name: 'h' } })).toThrow('"h"')
  })

  test('a search of another vendor has an equivalent, but not beside functions', () => {
    expect(encode({ tools: [search] })).toMatchObject({
      value: { tools: [{ googleSearch: {} }] },
      warnings: [],
    })
    const beside = encode({ tools: [f, search] })
    expect(beside.value['tools']).toHaveLength(1)
    expect(beside.warnings).toEqual(['tools_web_search_dropped'])
    expect(() => encode({ tools: [f, search] }, {}, true)).toThrow('strict')
    const forced = { type: 'tool', name: 'web_search' } as const
    expect(() => encode({ tools: [f, search], toolChoice: forced })).toThrow(Fault)
  })

  test('its own tools are sent unchanged', () => {
    const own = {
      type: 'hosted',
      kind: 'other',
      name: 'codeExecution',
      protocol: 'generate-content',
      json: '{"codeExecution":{}}',
    } as const
    expect(encode({ tools: [f, own] }).value['tools']).toMatchObject([{}, { codeExecution: {} }])
  })

  test('several calls cannot be forbidden', () => {
    expect(encode({ tools: [f], parallelCalls: false }).warnings).toEqual([
      'parallelToolCalls_dropped',
    ])
    expect(encode({ parallelCalls: false }).warnings).toEqual([])
  })
})
