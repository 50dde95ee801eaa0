import { describe, expect, test } from 'bun:test'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { messages } from '../../../../src/protocols/messages/index.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { decodeStream, issuer, sse, upstreamContext } from './helpers.ts'

const start: JsonObject = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'claude-x', usage: { input_tokens: 5, output_tokens: 1 } },
}
const open = (index: number, block: JsonObject): JsonObject => ({
  type: 'content_block_start',
  index,
  content_block: block,
})
const delta = (index: number, fields: JsonObject): JsonObject => ({
  type: 'content_block_delta',
  index,
  delta: fields,
})
const textDelta = (index: number, text: string) => delta(index, { type: 'text_delta', text })
const json = (index: number, text: string) =>
  delta(index, { type: 'input_json_delta', partial_json: text })
const close = (index: number): JsonObject => ({ type: 'content_block_stop', index })
const finish = (reason: string | null, more: JsonObject = {}): JsonObject => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null, ...more },
  usage: { output_tokens: 9 },
})
const stop: JsonObject = { type: 'message_stop' }
const toolUse = (id: string, name: string): JsonObject => ({
  type: 'tool_use',
  id,
  name,
  input: {},
})

/** The kinds of events, texts of deltas included. */
function outline(events: readonly ReplyEvent[]): string[] {
  return events.map((event) => {
    if (event.type === 'part-start') return `start ${event.part.type}`
    return event.type === 'part-delta' ? `+${event.text}` : event.type
  })
}

function decode(...events: JsonObject[]): ReplyEvent[] {
  return decodeStream(sse(start, ...events))
}

describe('messages: an upstream’s stream', () => {
  test('text, in the order of arrival', () => {
    const events = decode(
      open(0, { type: 'text', text: '' }),
      { type: 'ping' },
      textDelta(0, 'Hel'),
      textDelta(0, 'lo'),
      close(0),
      finish('end_turn'),
      stop,
    )
    expect(outline(events)).toEqual([
      'reply-start',
      'usage',
      'start text',
      '+Hel',
      '+lo',
      'part-end',
      'usage',
      'reply-end',
    ])
    expect(events[0]).toEqual({ type: 'reply-start', id: 'msg_1', model: 'claude-x' })
    expect(events[1]).toMatchObject({ usage: { input: 5, output: 1 }, isProvisional: true })
    expect(events.at(-2)).toMatchObject({ usage: { input: 5, output: 9 } })
    expect(events.at(-2)).not.toHaveProperty('isProvisional')
    expect(events.at(-1)).toEqual({
      type: 'reply-end',
      finishes: [{ reason: 'stop', raw: 'end_turn' }],
    })
  })

  test('reasoning keeps its signature, and encrypted reasoning its data', () => {
    const { answers } = foldReply(
      decode(
        open(0, { type: 'thinking', thinking: '', signature: '' }),
        delta(0, { type: 'thinking_delta', thinking: 'hm' }),
        delta(0, { type: 'signature_delta', signature: 'Eq+/=' }),
        close(0),
        open(1, { type: 'redacted_thinking', data: 'EtE' }),
        close(1),
        open(2, { type: 'thinking', thinking: '' }),
        delta(2, { type: 'signature_delta', signature: 'S' }),
        close(2),
        open(3, { type: 'thinking', thinking: 'unsigned', signature: '' }),
        close(3),
        finish('end_turn'),
        stop,
      ),
    )
    expect(answers[0]?.parts.map(({ part }) => part)).toEqual([
      { type: 'reasoning', text: 'hm', opaque: { issuer, kind: 'signature', data: 'Eq+/=' } },
      { type: 'reasoning', text: '', opaque: { issuer, kind: 'sealed', data: 'EtE' } },
      { type: 'reasoning', text: '', opaque: { issuer, kind: 'signature', data: 'S' } },
      { type: 'reasoning', text: 'unsigned', opaque: undefined },
    ])
  })

  const calls: [name: string, events: JsonObject[], argumentsText: string][] = [
    ['in pieces', [json(0, ''), json(0, '{"a":'), json(0, '1.0}')], '{"a":1.0}'],
    ['missing', [], '{}'],
    ['only an empty piece', [json(0, '')], '{}'],
    ['cut off by the limit', [json(0, '{"a":')], '{"a":'],
  ]
  test.each(calls)('arguments of a call: %s', (_, pieces, argumentsText) => {
    const { answers } = foldReply(
      decode(open(0, toolUse('toolu_1', 'f')), ...pieces, close(0), finish('tool_use'), stop),
    )
    expect(answers[0]?.parts[0]?.part).toMatchObject({ id: 'toolu_1', name: 'f', argumentsText })
    expect(answers[0]?.finish.reason).toBe('tool-calls')
  })

  test('arguments that arrive complete with the start keep their spelling', () => {
    const whole =
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{"b":1.0,"1":12345678901234567890}}}\n\n'
    const { answers } = foldReply(decodeStream(sse(start) + whole + sse(close(0), stop)))
    expect(answers[0]?.parts[0]?.part).toMatchObject({
      argumentsText: '{"b":1.0,"1":12345678901234567890}',
    })
  })

  test('several text blocks are several parts; links are annotations, positions in documents are not', () => {
    const citation = {
      type: 'web_search_result_location',
      url: 'https://x',
      title: 'X',
      cited_text: 'c',
      encrypted_index: 'E',
    }
    const place = { type: 'char_location', document_index: 0, cited_text: 'c' }
    const { answers } = foldReply(
      decode(
        open(0, { type: 'text', text: '' }),
        textDelta(0, 'a'),
        close(0),
        open(1, { type: 'text', text: '', citations: [] }),
        delta(1, { type: 'citations_delta', citation }),
        delta(1, { type: 'citations_delta', citation: place }),
        textDelta(1, 'b'),
        close(1),
        finish('end_turn'),
        stop,
      ),
    )
    expect(answers[0]?.parts.map(({ part }) => part)).toMatchObject([
      { text: 'a', annotations: undefined },
      { text: 'b', annotations: [{ url: 'https://x', title: 'X', citedText: 'c' }] },
    ])
  })

  test('tools that the vendor executed are kept unchanged, and are not calls for the client', () => {
    const { answers } = foldReply(
      decode(
        open(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
        json(0, '{"query":'),
        json(0, '"x"}'),
        close(0),
        open(1, { type: 'web_search_tool_result', tool_use_id: 's', content: [] }),
        close(1),
        open(2, { type: 'compaction', content: null }),
        delta(2, { type: 'compaction_delta', content: 'sum' }),
        close(2),
        finish('pause_turn'),
        stop,
      ),
    )
    expect(answers[0]?.parts.map(({ part }) => part)).toEqual([
      {
        type: 'hosted',
        protocol: 'messages',
        json: '{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"x"}}',
      },
      {
        type: 'hosted',
        protocol: 'messages',
        json: '{"type":"web_search_tool_result","tool_use_id":"s","content":[]}',
      },
      { type: 'hosted', protocol: 'messages', json: '{"type":"compaction","content":"sum"}' },
    ])
    expect(answers[0]?.finish).toEqual({ reason: 'pause', raw: 'pause_turn' })
  })

  test('overlapping calls are put one after another, and none loses a piece', () => {
    const events = decode(
      open(0, toolUse('a', 'f')),
      open(1, toolUse('b', 'g')),
      json(1, '{"y":'),
      json(0, '{"x":1}'),
      json(1, '2}'),
      close(1),
      close(0),
      finish('tool_use'),
      stop,
    )
    expect(outline(events).slice(2, -2)).toEqual([
      'start tool-call',
      '+{"x":1}',
      'part-end',
      'start tool-call',
      '+{"y":',
      '+2}',
      'part-end',
    ])
  })

  test('imitators: no message_start, no stop of text, no start of text, no id, no finish', () => {
    const events = decodeStream(
      sse(
        textDelta(0, 'a'),
        open(1, { type: 'tool_use', name: 'f' }),
        close(1),
        textDelta(2, 'b'),
        { type: 'message_stop' },
      ),
    )
    expect(outline(events)).toEqual([
      'reply-start',
      'start text',
      '+a',
      'part-end',
      'start tool-call',
      '+{}',
      'part-end',
      'start text',
      '+b',
      'part-end',
      'reply-end',
    ])
    expect(events[4]).toMatchObject({ part: { id: 'toolu_1', name: 'f' } })
    expect(events.at(-1)).toMatchObject({ finishes: [{ reason: 'tool-calls' }] })
  })

  test('a missing start event is generated before all others', () => {
    expect(outline(decodeStream(sse(finish('refusal'), stop)))).toEqual([
      'reply-start',
      'reply-end',
    ])
    const told = { ...finish('end_turn'), usage: { input_tokens: 1, output_tokens: 2 } }
    expect(outline(decodeStream(sse(told, stop)))).toEqual(['reply-start', 'usage', 'reply-end'])
  })

  const odd = [
    'event: new_event\ndata: {"type":"new_event","x":1}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":null}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"new_delta"}}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":null}}\n\n',
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":7}\n\n',
    'event: message_delta\ndata: {"type":"message_delta"}\n\n',
    'event: message_start\ndata: {"type":"message_start","message":null}\n\n',
    'data: [DONE]\n\n',
    'data: {"type":\n\n',
    ': comment\n\n',
  ]
  test.each(odd)('%j changes nothing', (frame) => {
    const events = decodeStream(
      sse(start) +
        frame +
        sse(open(0, { type: 'text', text: 'x' }), close(0), finish('end_turn'), stop),
    )
    const { answers, fault } = foldReply(events)
    expect(fault).toBeUndefined()
    expect(answers[0]?.parts.map(({ part }) => part)).toMatchObject([{ type: 'text', text: 'x' }])
    expect(events.filter((event) => event.type === 'reply-start')).toHaveLength(1)
  })

  const cuts: [name: string, events: JsonObject[]][] = [
    ['before its first event', []],
    ['inside a block', [open(0, { type: 'text', text: '' }), textDelta(0, 'a')]],
    [
      'after the finish reason',
      [open(0, { type: 'text', text: 'a' }), close(0), finish('end_turn')],
    ],
  ]
  test.each(cuts)('a stream that is cut %s gets no end', (_, events) => {
    const seen = decode(...events)
    expect(seen.some((event) => event.type === 'reply-end' || event.type === 'fault')).toBe(false)
  })

  test('nothing follows an error', () => {
    const events = decode(
      { type: 'error', error: { type: 'overloaded_error', message: 'm' } },
      textDelta(0, 'late'),
      stop,
    )
    expect(outline(events)).toEqual(['reply-start', 'usage', 'fault'])
  })

  const reasons: [raw: string | null, more: JsonObject, finish: JsonObject][] = [
    ['end_turn', {}, { reason: 'stop' }],
    ['stop_sequence', { stop_sequence: 'END' }, { reason: 'stop-sequence', stopSequence: 'END' }],
    ['max_tokens', {}, { reason: 'length' }],
    ['model_context_window_exceeded', {}, { reason: 'length' }],
    ['pause_turn', {}, { reason: 'pause' }],
    [
      'refusal',
      { stop_details: { type: 'refusal', category: 'bio', explanation: 'No.' } },
      { reason: 'content-filter', explanation: 'No.' },
    ],
    ['new_reason', {}, { reason: 'other', raw: 'new_reason' }],
    [null, {}, { reason: 'other', raw: undefined }],
  ]
  test.each(reasons)('stop reason %s', (raw, more, expected) => {
    const events = decode(finish(raw, more), stop)
    expect(events.at(-1)).toMatchObject({ finishes: [expected] })
  })
})

describe('messages: an upstream’s whole reply', () => {
  test('gives the events of the stream that it would have been', () => {
    const reply =
      '{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[{"type":"thinking","thinking":"hm","signature":"E"},{"type":"text","text":"Hi"},{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":1.0}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":4,"cache_creation":{"ephemeral_5m_input_tokens":1,"ephemeral_1h_input_tokens":3},"output_tokens":9}}'
    const events = messages.translation.decodeReply(reply, upstreamContext())
    expect(outline(events)).toEqual([
      'reply-start',
      'start reasoning',
      '+hm',
      'part-end',
      'start text',
      '+Hi',
      'part-end',
      'start tool-call',
      '+{"a":1.0}',
      'part-end',
      'usage',
      'reply-end',
    ])
    expect(foldReply(events).usage).toEqual({
      input: 5,
      cacheRead: 0,
      cacheWrite5m: 1,
      cacheWrite1h: 3,
      output: 9,
      reasoning: 0,
    })
  })
})
