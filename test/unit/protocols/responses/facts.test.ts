import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import { passThrough } from '../../../../src/protocols/responses/pass-through.ts'
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
    ['items of a kind nobody knows yet', { input: [{ type: 'newest_call', id: 'x' }] }],
    ['a bare reference', { input: [{ id: 'msg_1' }] }],
    ['a prompt instead of input', { prompt: { id: 'pmpt_1' } }],
    ['an earlier response instead of input', { previous_response_id: 'resp_1' }],
    [
      'nulls and empties',
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
    ['a model that is a number', { model: 3, input: 'hi' }, 'model'],
    ['no input', { model: 'm' }, 'input'],
    ['an empty list', { model: 'm', input: [] }, 'input'],
    ['input that is a number', { model: 'm', input: 7 }, 'input'],
    ['an item that is a string', { model: 'm', input: ['hi'] }, 'input[0]'],
    ['an item type that is a number', { model: 'm', input: [{ type: 1 }] }, 'input[0].type'],
    ['a message without a role', { model: 'm', input: [{ type: 'message' }] }, 'input[0].role'],
    ['an item that is nothing', { model: 'm', input: [{}] }, 'input[0].role'],
    ['a message without content', { model: 'm', input: [{ role: 'user' }] }, 'input[0].content'],
    ['stream that is a word', { model: 'm', input: 'hi', stream: 'yes' }, 'stream'],
    ['a negative limit', { model: 'm', input: 'hi', max_output_tokens: -1 }, 'max_output_tokens'],
    ['a broken limit', { model: 'm', input: 'hi', max_output_tokens: 1.5 }, 'max_output_tokens'],
    ['tools that are an object', { model: 'm', input: 'hi', tools: {} }, 'tools'],
    ['a tool that is a string', { model: 'm', input: 'hi', tools: ['x'] }, 'tools[0]'],
    ['a tool without a type', { model: 'm', input: 'hi', tools: [{}] }, 'tools[0].type'],
    ['text that is a string', { model: 'm', input: 'hi', text: 'json' }, 'text'],
    ['reasoning that is a word', { model: 'm', input: 'hi', reasoning: 'high' }, 'reasoning'],
    ['temperature that is a word', { model: 'm', input: 'hi', temperature: 'hot' }, 'temperature'],
    ['a choice that is a number', { model: 'm', input: 'hi', tool_choice: 1 }, 'tool_choice'],
    ['store that is a word', { model: 'm', input: 'hi', store: 'no' }, 'store'],
    ['include that is a word', { model: 'm', input: 'hi', include: 'all' }, 'include'],
    [
      'instructions that are an object',
      { model: 'm', input: 'hi', instructions: {} },
      'instructions',
    ],
    [
      'an earlier response that is a number',
      { model: 'm', input: 'hi', previous_response_id: 3 },
      'previous_response_id',
    ],
  ]
  test.each(refused)('%s: 400 that names the field', (_, body, param) => {
    try {
      factsOf(body)
      throw new Error('taken')
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      expect(error.status).toBe(400)
      expect(error.details.param).toBe(param)
    }
  })
})
