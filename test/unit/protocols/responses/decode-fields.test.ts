import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { decode, decodeText } from './helpers.ts'

const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"a":1}' }
const output = { type: 'function_call_output', call_id: 'c1', output: 'done' }

describe('the rest of a responses request', () => {
  test('every field that has a neutral name', () => {
    const request = decode({
      input: 'hi',
      stream: true,
      max_output_tokens: 99,
      temperature: 0,
      top_p: 0,
      parallel_tool_calls: false,
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
      top_logprobs: 3,
      user: 'u',
      safety_identifier: 's',
      prompt_cache_key: 'k',
      service_tier: 'flex',
      metadata: { a: 'b' },
      truncation: 'auto',
      store: false,
      client_metadata: { x: 'y' },
      max_tool_calls: 3,
    })
    expect(request).toMatchObject({
      isStream: true,
      outputTokensMax: 99,
      sampling: { temperature: 0, topP: 0 },
      parallelCalls: false,
      format: { type: 'json-object' },
      verbosity: 'low',
      reasoning: { mode: 'effort', effort: 'high', isVisible: true },
      logprobs: { top: 3 },
      endUser: 's',
      cacheKey: 'k',
      serviceTier: 'flex',
      metadata: '{"a":"b"}',
      extras: { max_tool_calls: 3 },
    })
    expect(Object.keys(request.extras)).toEqual(['max_tool_calls'])
  })

  test('a schema for the answer keeps its spelling', () => {
    const { format } = decodeText(
      '{"model":"m","input":"hi","text":{"format":{"type":"json_schema","name":"n","schema":{"maximum":1.0},"strict":true}}}',
    )
    expect(format).toEqual({
      type: 'json-schema',
      name: 'n',
      description: undefined,
      schema: '{"maximum":1.0}',
      isStrict: true,
    })
  })

  const reasonings: [unknown, unknown][] = [
    [{}, undefined],
    [null, undefined],
    [{ effort: null, summary: null }, undefined],
    [{ effort: 'none' }, { mode: 'off' }],
    [{ effort: 'xhigh' }, { mode: 'effort', effort: 'xhigh' }],
    [{ summary: 'detailed' }, { mode: 'auto', isVisible: true }],
    [
      { effort: 'low', generate_summary: 'auto' },
      { mode: 'effort', effort: 'low', isVisible: true },
    ],
  ]
  test.each(reasonings)('reasoning %j', (reasoning, expected) => {
    expect(decode({ input: 'hi', reasoning }).reasoning).toEqual(expected as undefined)
  })

  test('nulls and empty values count as absent', () => {
    const request = decode({
      input: 'hi',
      include: null,
      previous_response_id: null,
      conversation: null,
      prompt: null,
      background: false,
      reasoning: {},
      text: {},
      user: '',
      tools: [],
      metadata: {},
      instructions: null,
      unheard_of: null,
      unheard_of_too: [],
    })
    expect(request).toMatchObject({ system: [], tools: [], extras: {} })
    expect(request.endUser).toBeUndefined()
    expect(request.metadata).toBeUndefined()
  })
})

describe('refused requests', () => {
  const refused: [string, JsonObject, string][] = [
    [
      'an earlier response',
      { input: 'hi', previous_response_id: 'resp_1' },
      'previous_response_id',
    ],
    ['a conversation', { input: 'hi', conversation: 'conv_1' }, 'conversation'],
    ['a background request', { input: 'hi', background: true }, 'background'],
    ['a stored prompt', { prompt: { id: 'p' } }, 'prompt'],
    ['an item reference', { input: [{ type: 'item_reference', id: 'x' }] }, 'input[0]'],
    ['a call without an id', { input: [{ ...call, call_id: undefined }] }, 'input[0].call_id'],
    ['a call without a name', { input: [{ ...call, name: '' }] }, 'input[0].name'],
    ['a result without an id', { input: [{ ...output, call_id: null }] }, 'input[0].call_id'],
    ['an unknown role', { input: [{ role: 'tool', content: 'x' }] }, 'input[0].role'],
    [
      'an unknown part',
      { input: [{ role: 'user', content: [{ type: 'hologram' }] }] },
      'input[0].content[0].type',
    ],
    ['a tool without a name', { input: 'hi', tools: [{ type: 'function' }] }, 'tools[0].name'],
    [
      'parameters that are a list',
      { input: 'hi', tools: [{ type: 'function', name: 'f', parameters: [] }] },
      'tools[0].parameters',
    ],
    ['an unknown tool choice', { input: 'hi', tool_choice: 'any' }, 'tool_choice'],
    ['an unknown effort', { input: 'hi', reasoning: { effort: 'x' } }, 'reasoning.effort'],
    ['an unknown format', { input: 'hi', text: { format: { type: 'xml' } } }, 'text.format.type'],
    [
      'a format without a schema',
      { input: 'hi', text: { format: { type: 'json_schema', name: 'n' } } },
      'text.format.schema',
    ],
  ]
  test.each(refused)('%s: 400 that names the field', (_, body, param) => {
    try {
      decode(body)
      throw new Error('the request was accepted')
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      expect(error.status).toBe(400)
      expect(error.details.param).toBe(param)
    }
  })
})
