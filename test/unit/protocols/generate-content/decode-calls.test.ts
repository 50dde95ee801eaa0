import { describe, expect, test } from 'bun:test'
import { decode } from './build.ts'

const user = { role: 'user', parts: [{ text: 'hi' }] }
const said = (...parts: unknown[]) =>
  decode({ contents: [user, { role: 'model', parts }] }).turns[1]

describe('calls and results', () => {
  const call = (name: string, args: object, more: object = {}) => ({
    functionCall: { name, args, ...more },
  })
  const result = (name: string, response: unknown, more: object = {}) => ({
    functionResponse: { name, response, ...more },
  })
  const partsOf = (model: unknown[], answers: unknown[]) => {
    const turns = decode({
      contents: [user, { role: 'model', parts: model }, { role: 'function', parts: answers }],
    }).turns
    return { calls: turns[1]?.parts ?? [], results: turns[2]?.parts ?? [] }
  }

  test('parallel calls of one function without ids are paired by order, never by name alone', () => {
    const { calls, results } = partsOf(
      [call('f', { n: 1 }), call('f', { n: 2 })],
      [result('f', { result: 'one' }), result('f', { result: 'two' })],
    )
    expect(calls).toMatchObject([{ id: 'call_1_0' }, { id: 'call_1_1' }])
    expect(results).toMatchObject([
      { callId: 'call_1_0', parts: [{ text: 'one' }] },
      { callId: 'call_1_1', parts: [{ text: 'two' }] },
    ])
  })

  test('ids decide where both sides have them', () => {
    const { results } = partsOf(
      [call('f', {}, { id: 'a' }), call('f', {}, { id: 'b' })],
      [result('f', {}, { id: 'b' }), result('f', {}, { id: 'a' })],
    )
    expect(results).toMatchObject([{ callId: 'b' }, { callId: 'a' }])
  })

  test('an id that no call has is paired by name; a result without a call keeps its own', () => {
    const { results } = partsOf(
      [call('f', {})],
      [result('f', {}, { id: 'x' }), result('g', {}, { id: 'y' })],
    )
    expect(results).toMatchObject([{ callId: 'call_1_0' }, { callId: 'y' }])
  })

  const responses: [what: string, response: unknown, text: string | undefined, isError: boolean][] =
    [
      ['result', { result: 'fine' }, 'fine', false],
      ['output', { output: 'fine' }, 'fine', false],
      ['the AI SDK', { name: 'f', content: 'fine' }, 'fine', false],
      ['an error', { error: 'broken' }, 'broken', true],
      ['an error object', { error: { code: 1 } }, '{"code":1}', true],
      ['any object', { a: 1, error: 'b' }, '{"a":1,"error":"b"}', false],
      ['a number as the result', { result: 51 }, '{"result":51}', false],
      ['nothing', undefined, undefined, false],
    ]

  test.each(responses)('a response with %s', (_, response, text, isError) => {
    const { results } = partsOf([call('f', {})], [result('f', response)])
    const parts = text === undefined ? [] : [{ type: 'text', text }]
    const json = response === undefined ? undefined : JSON.stringify(response)
    expect(results[0]).toMatchObject({ parts, isError, json })
  })

  test('images inside a response', () => {
    const media = [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }]
    const { results } = partsOf([call('f', {})], [result('f', { output: 'see' }, { parts: media })])
    expect(results[0]).toMatchObject({
      parts: [
        { type: 'text', text: 'see' },
        { type: 'media', kind: 'image' },
      ],
    })
  })

  test('numbers and the order of keys survive in arguments and responses', () => {
    const args = '{"b": 12345678901234567890, "a": 1.0, "10": 1e400, "2": -0}'
    const body = `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":${args}}}]},{"parts":[{"function_response":{"name":"f","response":${args}}}]}]}`
    const { turns } = decode(body)
    expect(turns[0]?.parts[0]).toMatchObject({ argumentsText: args })
    expect(turns[1]?.parts[0]).toMatchObject({ json: args })
  })

  test('arguments that arrive in pieces are joined', () => {
    const partialArgs = [
      { jsonPath: '$.city', stringValue: 'San ', willContinue: true },
      { jsonPath: '$.city', stringValue: 'Francisco' },
      { jsonPath: '$.days[0].n', numberValue: 2 },
      { jsonPath: '$.days[1].n', boolValue: false },
      { jsonPath: "$['odd name']", nullValue: 'NULL_VALUE' },
    ]
    expect(said({ functionCall: { name: 'f', partialArgs } })?.parts[0]).toMatchObject({
      argumentsText: '{"city":"San Francisco","days":[{"n":2},{"n":false}],"odd name":null}',
    })
  })

  test('a call that the vendor has executed is not a call for the client', () => {
    const parts = said(call('search', { q: 1 }), result('search', { hits: 2 }), {
      text: 'found',
    })?.parts
    expect(parts).toMatchObject([
      { type: 'hosted', json: '{"functionCall":{"name":"search","args":{"q":1}}}' },
      { type: 'hosted' },
      { type: 'text', text: 'found' },
    ])
  })

  test('a call in a content of the user is a 400', () => {
    expect(() => decode({ contents: [{ parts: [call('f', {})] }] })).toThrow('contents[0].parts[0]')
  })
})
