import { describe, expect, test } from 'bun:test'
import { type ProtocolName, protocolNames } from '../../src/core/neutral/protocol-name.ts'
import { isObject, type JsonObject } from '../../src/wire/json.ts'
import { readExchangeFiles } from '../support/exchanges/read-exchanges.ts'
import { ownSchemaProblems } from './own-schemas/own-schema-problems.ts'

const files = readExchangeFiles()

function exchangeOf(protocol: ProtocolName, feature: string, name: string) {
  const file = files.find((each) => each.protocol === protocol && each.feature === feature)
  const exchange = file?.exchanges.find((each) => each.name === name)
  if (!exchange) throw new Error(`there is no ${protocol}/${feature}.${name}`)
  return exchange
}

type Step = string | number

/** The value with another value at a path; undefined removes the member. */
function changed(value: unknown, path: readonly Step[], put: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return put
  if (Array.isArray(value)) {
    return value.map((each, index) => (index === step ? changed(each, rest, put) : each))
  }
  const object: JsonObject = isObject(value) ? value : {}
  const entries = Object.entries({ ...object, [step]: changed(object[step], rest, put) })
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined))
}

type Damage = readonly [what: string, path: readonly Step[], put: unknown]

/** Damage that the schema of a protocol must reject, in the minimal request and reply and in those with a call. */
const requestDamage: Readonly<Record<ProtocolName, readonly Damage[]>> = {
  'chat-completions': [
    ['no messages', ['messages'], []],
    ['a member of messages', ['system'], 'Be brief.'],
    ['a role of generate-content', ['messages', 0, 'role'], 'model'],
    ['a part of responses', ['messages', 0, 'content'], [{ type: 'input_text', text: 'a' }]],
    ['a tool choice of messages', ['tool_choice'], { type: 'any' }],
    ['a tool of responses', ['tools', 0], { type: 'function', name: 'f', parameters: {} }],
    ['a name with a space', ['tools', 0, 'function', 'name'], 'get tide'],
    ['a temperature above 2', ['temperature'], 2.5],
  ],
  responses: [
    ['no input', ['input'], undefined],
    ['stop sequences', ['stop'], ['a']],
    ['a member of chat-completions', ['messages'], []],
    ['an unknown item', ['input'], [{ type: 'tool_result', call_id: 'c' }]],
    ['an output without its call', ['input'], [{ type: 'function_call_output', output: 'a' }]],
    ['a tool of chat-completions', ['tools', 0], { type: 'function', function: { name: 'f' } }],
    [
      'a long call_id',
      ['input'],
      [{ type: 'function_call_output', call_id: 'c'.repeat(65), output: '' }],
    ],
  ],
  messages: [
    ['no output limit', ['max_tokens'], undefined],
    ['a member of chat-completions', ['n'], 1],
    ['a temperature above 1', ['temperature'], 1.5],
    ['an empty message', ['messages', 0, 'content'], []],
    ['an empty text', ['messages', 0, 'content'], [{ type: 'text', text: '' }]],
    ['a tool of chat-completions', ['tools', 0], { type: 'function', function: { name: 'f' } }],
    ['a schema that is not an object', ['tools', 0, 'input_schema'], { type: 'string' }],
    ['a tool choice of chat-completions', ['tool_choice'], 'auto'],
    ['an id with a dot', ['messages', 0, 'content'], [{ type: 'tool_result', tool_use_id: 'a.b' }]],
    [
      'an image of an unknown type',
      ['messages', 0, 'content'],
      [{ type: 'image', source: { type: 'base64', media_type: 'image/tiff', data: 'AAAA' } }],
    ],
  ],
  'generate-content': [
    ['no contents', ['contents'], undefined],
    ['a role of another protocol', ['contents', 0, 'role'], 'assistant'],
    [
      'a part with two kinds of content',
      ['contents', 0, 'parts', 0, 'inlineData'],
      { mimeType: 'image/png', data: 'AAAA' },
    ],
    ['a content without parts', ['contents', 0, 'parts'], []],
    ['a member of chat-completions', ['model'], 'm'],
    ['an unknown option', ['generationConfig'], { max_tokens: 5 }],
    [
      'a response that is not an object',
      ['contents', 0, 'parts', 0],
      { functionResponse: { name: 'f', response: 'a' } },
    ],
    [
      'two schemas of one tool',
      ['tools', 0, 'functionDeclarations', 0, 'parametersJsonSchema'],
      {},
    ],
  ],
}

const replyDamage: Readonly<Record<ProtocolName, readonly Damage[]>> = {
  'chat-completions': [
    ['no choices', ['choices'], []],
    ['the object of a chunk', ['object'], 'chat.completion.chunk'],
    [
      'arguments that are not text',
      ['choices', 0, 'message', 'tool_calls', 0, 'function', 'arguments'],
      {},
    ],
    ['a finish reason of messages', ['choices', 0, 'finish_reason'], 'tool_use'],
    ['a count with a fraction', ['usage', 'total_tokens'], 1.5],
    ['an unknown member', ['choices', 0, 'message', 'thinking'], 'a'],
  ],
  responses: [
    ['an unknown status', ['status'], 'done'],
    ['no usage details', ['usage', 'input_tokens_details'], undefined],
    ['a call without its call_id', ['output', 0, 'call_id'], undefined],
    ['an unknown item', ['output', 0, 'type'], 'tool_use'],
    ['an unknown member', ['stop_reason'], 'end_turn'],
  ],
  messages: [
    ['no stop reason', ['stop_reason'], null],
    ['a finish reason of chat-completions', ['stop_reason'], 'stop'],
    ['an input that is text', ['content', 0, 'input'], '{}'],
    ['no usage', ['usage'], undefined],
    ['a negative count', ['usage', 'output_tokens'], -1],
    ['an unknown member', ['choices'], []],
  ],
  'generate-content': [
    ['args that are text', ['candidates', 0, 'content', 'parts', 0, 'functionCall', 'args'], '{}'],
    ['a call without a name', ['candidates', 0, 'content', 'parts', 0, 'functionCall', 'name'], ''],
    ['a finish reason of another protocol', ['candidates', 0, 'finishReason'], 'stop'],
    ['no total', ['usageMetadata', 'totalTokenCount'], undefined],
    ['an unknown member', ['choices'], []],
  ],
}

describe('the project’s schemas', () => {
  for (const protocol of protocolNames) {
    const { request, reply } = exchangeOf(protocol, 'tool-call', 'whole')

    test(`${protocol}: a request and a reply with a call are valid`, () => {
      expect(ownSchemaProblems(protocol, 'request', request)).toEqual([])
      expect(ownSchemaProblems(protocol, 'response', reply)).toEqual([])
    })

    test.each(requestDamage[protocol])(`${protocol} rejects a request with %s`, (_, path, put) => {
      expect(ownSchemaProblems(protocol, 'request', changed(request, path, put))).not.toEqual([])
    })

    test.each(replyDamage[protocol])(`${protocol} rejects a reply with %s`, (_, path, put) => {
      expect(ownSchemaProblems(protocol, 'response', changed(reply, path, put))).not.toEqual([])
    })

    for (const other of protocolNames.filter((name) => name !== protocol)) {
      test(`${protocol} rejects everything of ${other}`, () => {
        const foreign = exchangeOf(other, 'tool-call', 'whole')
        expect(ownSchemaProblems(protocol, 'request', foreign.request)).not.toEqual([])
        expect(ownSchemaProblems(protocol, 'response', foreign.reply)).not.toEqual([])
        const { stream = [] } = exchangeOf(other, 'text', 'stream')
        const events = stream.filter(isObject)
        expect(events.length).toBeGreaterThan(2)
        for (const event of events) {
          expect(ownSchemaProblems(protocol, 'event', event)).not.toEqual([])
        }
      })
    }

    test(`${protocol} rejects an event without its type or its choices`, () => {
      const { stream = [] } = exchangeOf(protocol, 'text', 'stream')
      const marks = ['type', 'object', 'candidates', 'usageMetadata']
      for (const event of stream.filter(isObject)) {
        const bare = Object.entries(event).filter(([name]) => !marks.includes(name))
        expect(ownSchemaProblems(protocol, 'event', Object.fromEntries(bare))).not.toEqual([])
      }
    })

    test(`${protocol} rejects an error without a message`, () => {
      const error = exchangeOf(protocol, 'error-500', 'server').reply
      expect(ownSchemaProblems(protocol, 'error', error)).toEqual([])
      const silent = changed(error, ['error', 'message'], undefined)
      expect(ownSchemaProblems(protocol, 'error', silent)).not.toEqual([])
      expect(ownSchemaProblems(protocol, 'error', { error: 'no' })).not.toEqual([])
    })
  }
})
