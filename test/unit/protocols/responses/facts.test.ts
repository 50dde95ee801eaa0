import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import { passThrough } from '../../../../src/protocols/responses/pass-through/pass-through.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { bodyOf, path } from './helpers.ts'

function factsOf(value: JsonObject) {
  return passThrough.decodeFacts(bodyOf(value), path)
}

describe('the facts of a responses request', () => {
  test('all facts', () => {
    const body = { model: 'm', input: 'hi', stream: true, max_output_tokens: 200_000 }
    expect(factsOf(body)).toEqual({
      model: 'm',
      isStream: true,
      outputTokensMax: 200_000,
      answers: 1,
      wantsStreamUsage: true,
      framing: 'sse',
    })
  })

  const accepted: [string, JsonObject][] = [
    ['a string', { input: 'hi' }],
    ['an empty string', { input: '' }],
    ['messages without a type', { input: [{ role: 'user', content: 'hi' }] }],
    ['items of an unknown kind', { input: [{ type: 'newest_call', id: 'x' }] }],
    ['an item reference without a type', { input: [{ id: 'msg_1' }] }],
    ['a prompt instead of input', { prompt: { id: 'pmpt_1' } }],
    ['an earlier response instead of input', { previous_response_id: 'resp_1' }],
    [
      'null and empty values',
      {
        input: 'hi',
        include: null,
        tools: [],
        text: {},
        reasoning: {},
        user: '',
        stream: null,
        previous_response_id: null,
        max_output_tokens: null,
        temperature: null,
        metadata: null,
        tool_choice: null,
      },
    ],
  ]
  test.each(accepted)('%s: accepted', (_, body) => {
    expect(factsOf({ model: 'm', ...body }).model).toBe('m')
  })

  const refused: [string, JsonObject, string][] = [
    ['no model', { input: 'hi' }, 'model'],
    ['an empty model', { model: '', input: 'hi' }, 'model'],
    ['a number as the model', { model: 3, input: 'hi' }, 'model'],
    ['no input', { model: 'm' }, 'input'],
    ['an empty list', { model: 'm', input: [] }, 'input'],
    ['a number as the input', { model: 'm', input: 7 }, 'input'],
    ['a string as an item', { model: 'm', input: ['hi'] }, 'input[0]'],
    ['a number as the item type', { model: 'm', input: [{ type: 1 }] }, 'input[0].type'],
    ['a message without a role', { model: 'm', input: [{ type: 'message' }] }, 'input[0].role'],
    ['null as an item', { model: 'm', input: [{}] }, 'input[0].role'],
    ['a message without content', { model: 'm', input: [{ role: 'user' }] }, 'input[0].content'],
    ['a string as stream', { model: 'm', input: 'hi', stream: 'yes' }, 'stream'],
    [
      'a negative output limit',
      { model: 'm', input: 'hi', max_output_tokens: -1 },
      'max_output_tokens',
    ],
    [
      'a fraction as the output limit',
      { model: 'm', input: 'hi', max_output_tokens: 1.5 },
      'max_output_tokens',
    ],
    ['an object as tools', { model: 'm', input: 'hi', tools: {} }, 'tools'],
    ['a string as a tool', { model: 'm', input: 'hi', tools: ['x'] }, 'tools[0]'],
    ['a tool without a type', { model: 'm', input: 'hi', tools: [{}] }, 'tools[0].type'],
    ['a string as text', { model: 'm', input: 'hi', text: 'json' }, 'text'],
    ['a string as reasoning', { model: 'm', input: 'hi', reasoning: 'high' }, 'reasoning'],
    ['a string as temperature', { model: 'm', input: 'hi', temperature: 'hot' }, 'temperature'],
    ['a number as the tool choice', { model: 'm', input: 'hi', tool_choice: 1 }, 'tool_choice'],
    ['a string as store', { model: 'm', input: 'hi', store: 'no' }, 'store'],
    ['a string as include', { model: 'm', input: 'hi', include: 'all' }, 'include'],
    ['an object as instructions', { model: 'm', input: 'hi', instructions: {} }, 'instructions'],
    [
      'a number as the earlier response',
      { model: 'm', input: 'hi', previous_response_id: 3 },
      'previous_response_id',
    ],
  ]
  test.each(refused)('%s: 400 that names the field', (_, body, param) => {
    try {
      factsOf(body)
      throw new Error('the request was accepted')
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      expect(error.status).toBe(400)
      expect(error.details.param).toBe(param)
    }
  })
})
