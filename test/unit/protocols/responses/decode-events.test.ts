import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { closing, decodeStream, opening, saying, streamOf } from './helpers.ts'
import {
  added,
  args,
  at,
  begun,
  call,
  calling,
  completed,
  created,
  done,
  ended,
  message,
  plain,
  sealed,
  text,
  words,
} from './wire-events.ts'

describe('a responses stream', () => {
  const streams: [string, (JsonObject | string)[], unknown[]][] = [
    [
      'text; an empty piece opens no part',
      [
        created,
        added(0, { type: 'message' }),
        words(0, ''),
        words(0, 'Hel'),
        words(0, 'lo'),
        done(0, message('Hello')),
        completed,
      ],
      [text, saying('Hel'), saying('lo'), closing, ended('stop')],
    ],
    [
      'text without pieces, and text with a lost piece',
      [created, done(0, message('Hello')), words(1, 'Hel'), done(1, message('Hello')), completed],
      [text, saying('Hello'), closing, text, saying('Hel'), saying('lo'), closing, ended('stop')],
    ],
    [
      'a call with pieces',
      [
        created,
        added(0, call('c', '')),
        args(0, '{"a"'),
        args(0, ':1}'),
        done(0, call('c', '{"a":1}')),
        completed,
      ],
      [calling('c'), saying('{"a"'), saying(':1}'), closing, ended('tool-calls')],
    ],
    [
      'a call whose arguments arrive only with its end',
      [
        created,
        added(0, call('c', '')),
        { type: 'response.function_call_arguments.done', ...at(0), arguments: '{"a":1}' },
        done(0, call('c', '{"a":1}')),
        completed,
      ],
      [calling('c'), saying('{"a":1}'), closing, ended('tool-calls')],
    ],
    [
      'a call with a name only at its end',
      [
        created,
        added(0, { type: 'function_call' }),
        args(0, '{}'),
        done(0, call('c', '{}')),
        completed,
      ],
      [calling('c'), saying('{}'), closing, ended('tool-calls')],
    ],
    [
      'a call without an id',
      [created, done(0, { type: 'function_call', name: 'f', arguments: '{}' }), completed],
      [calling('call_1'), saying('{}'), closing, ended('tool-calls')],
    ],
    [
      'two interleaved calls are delivered one after the other',
      [
        created,
        added(0, call('a', '')),
        added(1, call('b', '')),
        args(1, '{"b"'),
        args(0, '{"a"'),
        args(1, ':2}'),
        args(0, ':1}'),
        done(1, call('b', '{"b":2}')),
        done(0, call('a', '{"a":1}')),
        completed,
      ],
      [
        calling('a'),
        saying('{"a"'),
        saying(':1}'),
        closing,
        calling('b'),
        saying('{"b"'),
        saying(':2}'),
        closing,
        ended('tool-calls'),
      ],
    ],
    [
      'a custom tool in a namespace',
      [
        created,
        added(0, { type: 'custom_tool_call', call_id: 'c', name: 'p', namespace: 'n' }),
        { type: 'response.custom_tool_call_input.delta', ...at(0), delta: '*** ' },
        { type: 'response.custom_tool_call_input.delta', ...at(0), delta: 'Begin' },
        { type: 'response.custom_tool_call_input.done', ...at(0), input: '*** Begin' },
        done(0, { type: 'custom_tool_call', call_id: 'c', name: 'p', input: '*** Begin' }),
        completed,
      ],
      [
        opening({ type: 'tool-call', id: 'c', name: 'p', form: 'custom', namespace: 'n' }),
        saying('*** '),
        saying('Begin'),
        closing,
        ended('tool-calls'),
      ],
    ],
    [
      'a summary of two parts is one reasoning part; the last encrypted content counts',
      [
        created,
        added(0, { type: 'reasoning', encrypted_content: 'not yet' }),
        { type: 'response.reasoning_summary_text.delta', ...at(0), summary_index: 0, delta: 'a' },
        { type: 'response.reasoning_summary_text.delta', ...at(0), summary_index: 1, delta: 'b' },
        { type: 'response.reasoning_summary_text.delta', ...at(0), summary_index: 1, delta: 'c' },
        done(0, { type: 'reasoning', summary: [], encrypted_content: 'gAAAA' }),
        completed,
      ],
      [
        opening({ type: 'reasoning' }),
        saying('a'),
        saying('\n\nb'),
        saying('c'),
        { ...closing, opaque: sealed },
        ended('stop'),
      ],
    ],
    [
      'hidden reasoning: only the encrypted content; nothing without it',
      [
        created,
        done(0, { type: 'reasoning', summary: [], encrypted_content: 'gAAAA' }),
        done(1, { type: 'reasoning', summary: [] }),
        completed,
      ],
      [opening({ type: 'reasoning' }), { ...closing, opaque: sealed }, ended('stop')],
    ],
    [
      'raw reasoning of an open model, and its summary, appear once',
      [
        created,
        { type: 'response.reasoning_text.delta', ...at(0), content_index: 0, delta: 'raw' },
        { type: 'response.reasoning_summary_text.delta', ...at(0), summary_index: 0, delta: 'sum' },
        done(0, { type: 'reasoning', summary: [{ type: 'summary_text', text: 'sum' }] }),
        completed,
      ],
      [opening({ type: 'reasoning' }), saying('raw'), closing, ended('stop')],
    ],
    [
      'a refusal',
      [
        created,
        { type: 'response.refusal.delta', ...at(0), content_index: 0, delta: 'no' },
        done(0, { type: 'message', content: [{ type: 'refusal', refusal: 'no' }] }),
        completed,
      ],
      [opening({ type: 'refusal' }), saying('no'), closing, ended('content-filter')],
    ],
    [
      'links reported during the text or at its end appear once',
      [
        created,
        words(0, 'see'),
        {
          type: 'response.output_text.annotation.added',
          ...at(0),
          content_index: 0,
          annotation: {
            type: 'url_citation',
            url: 'https://a',
            title: 'A',
            start_index: 0,
            end_index: 3,
          },
        },
        done(0, message('see')),
        completed,
      ],
      [
        text,
        saying('see'),
        {
          ...closing,
          annotations: [{ url: 'https://a', title: 'A', start: 0, end: 3, citedText: undefined }],
        },
        ended('stop'),
      ],
    ],
    [
      'probabilities',
      [
        created,
        {
          ...words(0, 'a'),
          logprobs: [
            { token: 'a', logprob: -1, bytes: [97], top_logprobs: [{ token: 'b', logprob: -2 }] },
          ],
        },
        done(0, message('a')),
        completed,
      ],
      [
        text,
        {
          ...saying('a'),
          logprobs: [
            {
              token: 'a',
              logprob: -1,
              bytes: [97],
              top: [{ token: 'b', logprob: -2, bytes: undefined }],
            },
          ],
        },
        closing,
        ended('stop'),
      ],
    ],
    [
      'a hosted tool does not delay parts beside it',
      [
        created,
        added(0, { type: 'mcp_list_tools' }),
        words(1, 'Hi'),
        done(0, { type: 'mcp_list_tools', tools: [] }),
        done(1, message('Hi')),
        completed,
      ],
      [
        text,
        saying('Hi'),
        closing,
        opening({
          type: 'hosted',
          protocol: 'responses',
          json: '{"id":"item_0","type":"mcp_list_tools","tools":[]}',
        }),
        closing,
        ended('stop'),
      ],
    ],
    [
      'a generated image',
      [
        created,
        done(0, { type: 'image_generation_call', output_format: 'webp', result: 'UklG' }),
        completed,
      ],
      [
        opening({ type: 'media', mime: 'image/webp', source: { type: 'base64', data: 'UklG' } }),
        closing,
        ended('stop'),
      ],
    ],
    [
      'only the last event',
      [{ type: 'response.completed', response: { ...plain, output: [message('all')] } }],
      [text, saying('all'), closing, ended('stop')],
    ],
    [
      'the token limit takes precedence over calls',
      [
        created,
        added(0, call('c', '')),
        args(0, '{"a'),
        {
          type: 'response.incomplete',
          response: {
            ...plain,
            status: 'incomplete',
            incomplete_details: { reason: 'max_output_tokens' },
          },
        },
      ],
      [calling('c'), saying('{"a'), closing, ended('length', 'max_output_tokens')],
    ],
    [
      'a content filter',
      [
        created,
        {
          type: 'response.incomplete',
          response: { ...plain, incomplete_details: { reason: 'content_filter' } },
        },
      ],
      [ended('content-filter', 'content_filter')],
    ],
    [
      'unknown events, invalid events, and events after the end',
      [
        created,
        { type: 'response.novelty.delta', delta: 'x' },
        { type: 'keepalive' },
        '[1,2]',
        'not json',
        { type: 'response.output_item.done', output_index: 0 },
        { type: 'response.output_item.added', output_index: 0, item: null },
        words(1, 'ok'),
        completed,
        '[DONE]',
        completed,
        words(2, 'late'),
      ],
      [text, saying('ok'), closing, ended('stop')],
    ],
  ]
  test.each(streams)('%s', (_, events, expected) => {
    const decoded = decodeStream(streamOf(...events))
    expect(decoded as unknown[]).toEqual([begun, ...expected])
    expect(decodeStream(streamOf(...events), [1, 3, 7, 2]) as unknown[]).toEqual([
      begun,
      ...expected,
    ])
  })
})
