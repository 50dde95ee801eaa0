import { describe, expect, test } from 'bun:test'
import { passThrough } from '../../../../src/protocols/responses/pass-through/pass-through.ts'
import { bodyOfText, path, streamOf, tapAll } from './helpers.ts'

function forward(text: string, outputTokensMax = 32_000, model = 'gpt-up'): string {
  const body = bodyOfText(text)
  const facts = passThrough.decodeFacts(body, path)
  return passThrough.encodeForward(body, facts, { model, outputTokensMax, traits: {} })
}

describe('forwarding a responses request', () => {
  test('only the model changes; spacing, spelling, order and unknown fields stay', () => {
    const text = '{ "future": 1.0, "model" : "m", "input":"hé", "big":12345678901234567890 }'
    expect(forward(text)).toBe(text.replace('"m"', '"gpt-up"'))
  })

  test('the same model: the identical text', () => {
    const text = '{"model":"m","input":"hi","previous_response_id":"resp_1","background":false}'
    expect(forward(text, 32_000, 'm')).toBe(text)
  })

  test('a limit above that of the model is lowered, any other stays', () => {
    const text = '{"model":"m","input":"hi","max_output_tokens":200000}'
    expect(forward(text, 64_000, 'm')).toBe(text.replace('200000', '64000'))
    expect(forward(text.replace('200000', '1'), 64_000, 'm')).toContain('"max_output_tokens":1}')
  })
})

const created = {
  type: 'response.created',
  sequence_number: 0,
  response: { id: 'resp_1', object: 'response', status: 'in_progress', model: 'up', output: [] },
}
const added = { type: 'response.output_item.added', sequence_number: 1, output_index: 0, item: {} }
const delta = {
  type: 'response.output_text.delta',
  sequence_number: 2,
  delta: 'four words of text',
}
const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 120,
}
const completed = {
  type: 'response.completed',
  sequence_number: 3,
  response: { id: 'resp_1', status: 'completed', usage },
}
const read = {
  input: 30,
  cacheRead: 60,
  cacheWrite5m: 10,
  cacheWrite1h: 0,
  output: 20,
  reasoning: 5,
}

describe('the tap of a responses stream', () => {
  test('usage, end, content and id; every byte is forwarded', () => {
    const text = streamOf(created, added, delta, completed)
    const tap = passThrough.openTap(facts, {})
    const verdicts = tapAll(tap, text)
    const bytes = verdicts.map((each) => each.bytes ?? new Uint8Array(0))
    expect(Buffer.concat(bytes).toString()).toBe(text)
    expect(verdicts.map((each) => each.isTerminator)).toEqual([false, false, false, true])
    expect(verdicts.map((each) => each.isContent)).toEqual([false, false, true, false])
    expect(tap.reading().usage).toEqual(read)
    expect(tap.reading().replyId).toBe('resp_1')
    expect(tap.reading().deliveredTokens()).toBeGreaterThan(0)
    expect(tap.end()).toBeUndefined()
  })

  test('an incomplete answer ends the stream too', () => {
    const tap = passThrough.openTap(facts, {})
    const verdicts = tapAll(tap, streamOf({ ...completed, type: 'response.incomplete' }))
    expect(verdicts.map((each) => each.isTerminator)).toEqual([true])
  })

  test('data without an event name, [DONE] after the end, comments: nothing breaks', () => {
    const text = `: busy\n\ndata: ${JSON.stringify(delta)}\n\ndata: ${JSON.stringify(completed)}\n\ndata: [DONE]\n\n`
    const tap = passThrough.openTap(facts, {})
    const verdicts = tapAll(tap, text)
    expect(verdicts.map((each) => each.isTerminator)).toEqual([false, false, true, false])
    expect(verdicts.every((each) => each.fault === undefined)).toBe(true)
    expect(tap.reading().usage).toEqual(read)
  })

  test('a stream that closes without its last event is cut', () => {
    const tap = passThrough.openTap(facts, {})
    const verdicts = tapAll(tap, streamOf(created, added, delta))
    expect(verdicts.some((each) => each.isTerminator)).toBe(false)
    expect(tap.end()).toBeUndefined()
    expect(tap.reading().replyId).toBeUndefined()
  })

  test('an item that arrived without deltas counts as delivered', () => {
    const item = { type: 'function_call', name: 'f', arguments: '{"city":"San Francisco"}' }
    const tap = passThrough.openTap(facts, {})
    const [, done] = tapAll(tap, streamOf(added, { type: 'response.output_item.done', item }))
    expect(done?.isContent).toBe(true)
    expect(tap.reading().deliveredTokens()).toBeGreaterThan(3)
  })

  test('a failure is a fault, and continues the numbering of the started response', () => {
    const failed = {
      type: 'response.failed',
      sequence_number: 3,
      response: { id: 'resp_1', error: { code: 'server_error', message: 'broken' }, usage: null },
    }
    const tap = passThrough.openTap(facts, {})
    const verdicts = tapAll(tap, streamOf(created, added, delta, failed))
    const fault = verdicts.at(-1)?.fault
    if (!fault) throw new Error('the stream reported no fault')
    expect(fault.message).toBe('broken')
    expect(verdicts.at(-1)?.isTerminator).toBe(false)
    const text = tap.faultText?.(fault, 'req_1') ?? ''
    expect(text).toContain('event: error\n')
    expect(text).toContain('"sequence_number":3}\n\nevent: response.failed\n')
    expect(text).toContain('"id":"resp_1"')
    expect(text).toContain('"status":"failed"')
    expect(text).toEndWith('"sequence_number":4}\n\n')
  })
})

const facts = {
  model: 'm',
  isStream: true,
  outputTokensMax: undefined,
  answers: 1,
  wantsStreamUsage: true,
  framing: 'sse',
} as const

test('a reply that is not streamed: usage, id, and an estimate of the delivered content', () => {
  const output = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'thinking about it' }] },
    { type: 'message', content: [{ type: 'output_text', text: 'an answer of five words' }] },
    { type: 'function_call', name: 'f', arguments: '{"a":1}' },
  ]
  const reading = passThrough.readReply({ id: 'resp_9', output, usage }, {})
  expect(reading.usage).toEqual(read)
  expect(reading.replyId).toBe('resp_9')
  expect(reading.deliveredTokens()).toBeGreaterThan(8)
  expect(passThrough.readReply('nonsense', {}).usage).toBeUndefined()
  expect(passThrough.readReply({ usage: { input_tokens: 1 } }, {}).usage).toBeUndefined()
})
