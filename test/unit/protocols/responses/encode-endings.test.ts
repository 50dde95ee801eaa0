import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import type { Finish, ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { translation } from '../../../../src/protocols/responses/translation.ts'
import { parseJson } from '../../../../src/wire/json.ts'
import {
  closing,
  decodeText,
  opening,
  replyContext,
  saying,
  start,
  stop,
  write,
} from './helpers.ts'

const text = opening({ type: 'text' })
const calling = opening({ type: 'tool-call', id: 'c', name: 'f', form: 'function' })
function ended(finish: Partial<Finish>): ReplyEvent {
  return { type: 'reply-end', finishes: [{ reason: 'stop', raw: undefined, ...finish }] }
}
const ladder = (events: readonly { [name: string]: unknown }[]) =>
  events.map(({ type }) => String(type).replace('response.', ''))

describe('the end', () => {
  const ends: [string, ReplyEvent[], ReplyEvent, object][] = [
    ['stop', [text, saying('a'), closing], stop, { status: 'completed', incomplete_details: null }],
    [
      'the token limit: the last item is incomplete',
      [text, saying('a'), closing],
      ended({ reason: 'length' }),
      {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ status: 'incomplete' }],
      },
    ],
    [
      'the token limit, used up by reasoning',
      [],
      ended({ reason: 'length' }),
      { status: 'incomplete', output: [] },
    ],
    [
      'a content filter without text',
      [],
      ended({ reason: 'content-filter' }),
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] },
    ],
    [
      'a refusal with an explanation',
      [],
      ended({ reason: 'content-filter', explanation: 'not this' }),
      { status: 'completed', output: [{ content: [{ type: 'refusal', refusal: 'not this' }] }] },
    ],
    [
      'a refusal after text',
      [text, saying('a'), closing],
      ended({ reason: 'content-filter', explanation: 'not this' }),
      {
        status: 'incomplete',
        incomplete_details: { reason: 'content_filter' },
        output: [{ content: [{ type: 'output_text' }, { type: 'refusal', refusal: 'not this' }] }],
      },
    ],
    [
      'a malformed call',
      [],
      ended({ reason: 'malformed-call' }),
      { status: 'failed', error: { code: 'server_error' } },
    ],
    ['a paused turn', [], ended({ reason: 'pause' }), { status: 'completed' }],
  ]
  test.each(ends)('%s', (_, parts, end, expected) => {
    const { events, final } = write([start, ...parts, end])
    expect(final).toMatchObject(expected)
    const last = events.at(-1)
    expect(last).toMatchObject({ type: `response.${String(final?.['status'])}` })
    expect(last?.['response']).toEqual(final)
  })

  test('usage with all its details; the last report counts; zeros where there was none', () => {
    const usage = {
      input: 8,
      cacheRead: 3_512,
      cacheWrite5m: 2,
      cacheWrite1h: 1,
      output: 44,
      reasoning: 42,
    }
    const { final } = write([
      start,
      { type: 'usage', usage: { ...usage, output: 1 } },
      { type: 'usage', usage },
      stop,
    ])
    expect(final?.['usage']).toEqual({
      input_tokens: 3_523,
      input_tokens_details: { cached_tokens: 3_512, cache_write_tokens: 3 },
      output_tokens: 44,
      output_tokens_details: { reasoning_tokens: 42 },
      total_tokens: 3_567,
    })
    expect(write([start, stop]).final?.['usage']).toMatchObject({
      input_tokens: 0,
      total_tokens: 0,
    })
  })

  const faulty: [string, ReplyEvent[]][] = [
    ['before any content', []],
    ['in the middle of a call', [start, calling, saying('{"a')]],
  ]
  test.each(faulty)(
    'a failure %s: the error, then a response that failed, and nothing more',
    (_, events) => {
      const fault: ReplyEvent = { type: 'fault', fault: new Fault('upstream_error', 'broken') }
      const { events: written, final } = write([...events, fault, saying('late'), stop])
      expect(ladder(written).slice(-2)).toEqual(['error', 'failed'])
      expect(written.map((event) => event['sequence_number'])).toEqual(
        written.map((_, index) => index),
      )
      expect(final).toMatchObject({ status: 'failed', error: { message: 'broken' }, output: [] })
      expect(ladder(written)).not.toContain('output_item.done')
    },
  )
})

describe('the repeated fields of the request', () => {
  test('defaults for absent fields', () => {
    expect(write([start, stop]).final).toMatchObject({
      id: 'resp_1',
      object: 'response',
      created_at: 1_800_000_000,
      model: 'm',
      error: null,
      instructions: null,
      max_output_tokens: null,
      metadata: {},
      parallel_tool_calls: true,
      previous_response_id: null,
      reasoning: { effort: null, summary: null },
      store: true,
      temperature: 1,
      text: { format: { type: 'text' } },
      tool_choice: 'auto',
      tools: [],
      top_p: 1,
      truncation: 'disabled',
      user: null,
    })
  })

  test('sent fields, with schemas in their own spelling', () => {
    const body =
      '{"model":"m","input":"hi","instructions":"be","temperature":0,"store":false,"text":{"verbosity":"low","format":{"type":"json_schema","name":"n","schema":{"maximum":1.0}}},"tools":[{"type":"namespace","name":"n","description":"d","tools":[{"type":"function","name":"f","parameters":{"minimum":2.0}}]},{"type":"custom","name":"p"}]}'
    const value = JSON.parse(body)
    const context = { ...replyContext(value), request: decodeText(body) }
    const { text: wire, final } = write([start, stop], context)
    expect(final).toMatchObject({
      instructions: 'be',
      temperature: 0,
      store: false,
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n' } },
    })
    expect(wire.split('{"maximum":1.0}').length).toBe(4)
    expect(wire).toContain('"parameters":{"minimum":2.0},"strict":false')
  })

  test('a custom tool always has its format', () => {
    const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' }
    const custom = { type: 'custom', name: 'p' }
    const tools = [
      custom,
      { ...custom, name: 'q', format: null },
      { ...custom, name: 'r', format: grammar },
      { type: 'namespace', name: 'n', tools: [custom] },
    ]
    const { final } = write([start, stop], replyContext({ model: 'm', input: 'hi', tools }))
    const format = { type: 'text' }
    expect(final?.['tools']).toEqual([
      { ...custom, format },
      { ...custom, name: 'q', format },
      { ...custom, name: 'r', format: grammar },
      { type: 'namespace', name: 'n', tools: [{ ...custom, format }] },
    ])
  })
})

describe('a whole reply', () => {
  test('equals the last event of the stream', () => {
    const events = [start, text, saying('a'), closing, stop]
    const whole = parseJson(translation.encodeReply(events, replyContext()))
    expect(whole).toEqual(write(events).final)
  })

  test('is never created from an unfinished answer', () => {
    expect(() => translation.encodeReply([start, text, saying('a')], replyContext())).toThrow(Fault)
  })
})
