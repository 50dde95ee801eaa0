import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import type { ModelRequest, Part, Tool, Turn } from '../../../../src/core/neutral/model-request.ts'
import { encode, plainRequest } from './helpers.ts'

const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const png = { type: 'base64', data: 'AAAA' } as const

describe('tools for a responses upstream', () => {
  const f: Tool = {
    type: 'function',
    name: 'f',
    description: 'd',
    schema: undefined,
    isStrict: undefined,
  }
  const custom: Tool = {
    type: 'custom',
    name: 'p',
    description: undefined,
    format: '{"type":"text"}',
  }
  const foreign: Tool = {
    type: 'hosted',
    kind: 'other',
    name: 'code_execution',
    protocol: 'messages',
    json: '{}',
  }
  const search: Tool = {
    type: 'hosted',
    kind: 'web-search',
    name: 'web_search_20250305',
    protocol: 'messages',
    json: '{"type":"web_search_20250305","allowed_domains":["a.org"],"user_location":{"type":"approximate","city":"B"}}',
  }
  const encodedFunction = {
    type: 'function',
    name: 'f',
    description: 'd',
    parameters: { type: 'object', properties: {} },
    strict: false,
  }

  const cases: [string, Partial<ModelRequest>, unknown, string[]][] = [
    [
      'strict is always sent, because an absent one means true',
      { tools: [f, custom], parallelCalls: false, toolChoice: { type: 'tool', name: 'p' } },
      {
        tools: [encodedFunction, { type: 'custom', name: 'p', format: { type: 'text' } }],
        tool_choice: { type: 'custom', name: 'p' },
        parallel_tool_calls: false,
      },
      [],
    ],
    [
      'allowed tools',
      { tools: [f], toolChoice: { type: 'allowed', names: ['f', 'gone'], isRequired: false } },
      {
        tools: [encodedFunction],
        tool_choice: {
          type: 'allowed_tools',
          mode: 'auto',
          tools: [{ type: 'function', name: 'f' }],
        },
      },
      [],
    ],
    [
      'the web search of another protocol becomes this protocol’s',
      { tools: [search] },
      {
        tools: [
          {
            type: 'web_search',
            filters: { allowed_domains: ['a.org'] },
            user_location: { type: 'approximate', city: 'B' },
          },
        ],
      },
      [],
    ],
    [
      'other hosted tools of another vendor are left out beside functions',
      { tools: [f, foreign], toolChoice: { type: 'auto' } },
      { tools: [encodedFunction], tool_choice: 'auto' },
      ['tools_code_execution_dropped'],
    ],
    [
      'no tools: neither a tool choice nor parallel calls',
      { tools: [], toolChoice: { type: 'auto' }, parallelCalls: true },
      {},
      [],
    ],
  ]
  test.each(cases)('%s', (_, over, expected, warnings) => {
    const encoded = encode(plainRequest(over))
    const { tools, tool_choice, parallel_tool_calls } = encoded.value
    expect(JSON.parse(JSON.stringify({ tools, tool_choice, parallel_tool_calls }))).toEqual(
      expected,
    )
    expect(encoded.warnings).toEqual(warnings)
  })

  const refused: [string, Partial<ModelRequest>, string][] = [
    [
      'a choice of a tool that this protocol lacks',
      { tools: [f, foreign], toolChoice: { type: 'tool', name: 'code_execution' } },
      'tool_choice',
    ],
    [
      'a choice of an unknown tool',
      { tools: [f], toolChoice: { type: 'tool', name: 'g' } },
      'tool_choice',
    ],
    ['a choice without tools', { toolChoice: { type: 'tool', name: 'g' } }, 'tool_choice'],
    ['several answers', { answers: 2 }, 'n'],
    [
      'video',
      {
        turns: [user({ type: 'media', kind: 'video', mime: 'video/mp4', source: png })],
      },
      'input',
    ],
    [
      'audio that is neither mp3 nor wav',
      { turns: [user({ type: 'media', kind: 'audio', mime: 'audio/ogg', source: png })] },
      'input',
    ],
    [
      'a file of another vendor',
      {
        turns: [
          user({
            type: 'media',
            kind: 'image',
            mime: undefined,
            source: { type: 'file', id: 'f', protocol: 'chat-completions' },
          }),
        ],
      },
      'input',
    ],
  ]
  test.each(refused)('%s: refused in every group', (_, over, param) => {
    try {
      encode(plainRequest(over))
      throw new Error('the request was accepted')
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      expect(error.status).toBe(400)
      expect(error.details.param).toBe(param)
    }
  })
})
