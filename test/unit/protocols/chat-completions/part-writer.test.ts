import { describe, expect, test } from 'bun:test'
import type { Opaque } from '../../../../src/core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { sealOpaque } from '../../../../src/protocols/fit/seal-opaque.ts'
import { parseJson } from '../../../../src/wire/json.ts'
import { deltasOf, encodeStream, readStream, replyContext, translation } from './helpers.ts'
import { begin, call, choicesOf, finished, part, sealed, signed, text } from './neutral-replies.ts'

const head = (index: number, id: string, more: object = {}) => ({
  tool_calls: [{ index, id, type: 'function', function: { name: 'f', arguments: '' }, ...more }],
})
const more = (index: number, written: string) => ({
  tool_calls: [{ index, function: { arguments: written } }],
})
const google = (opaque: Opaque) => ({
  extra_content: { google: { thought_signature: sealOpaque(opaque) } },
})
const thought = (words: string, index: number) => ({
  reasoning_content: words,
  reasoning_details: [{ type: 'reasoning.text', text: words, index }],
})

type Row = [
  name: string,
  events: ReplyEvent[],
  finish: ReplyEvent,
  deltas: object[],
  message: object,
  reason: string,
]

const rows: Row[] = [
  ['nothing', [], finished('stop'), [], { content: '' }, 'stop'],
  [
    'text',
    text('a', '', 'b'),
    finished('stop'),
    [{ content: 'a' }, { content: 'b' }],
    { content: 'ab' },
    'stop',
  ],
  ['the limit used up without content', [], finished('length'), [], { content: '' }, 'length'],
  [
    'a stop sequence',
    text('a'),
    finished('stop-sequence'),
    [{ content: 'a' }],
    { content: 'a' },
    'stop',
  ],
  ['a paused turn', text('a'), finished('pause'), [{ content: 'a' }], { content: 'a' }, 'stop'],
  [
    'calls have their own index',
    [...text('a'), ...call('x', ['{', '}']), ...call('y', ['{}'])],
    finished('tool-calls'),
    [{ content: 'a' }, head(0, 'x'), more(0, '{'), more(0, '}'), head(1, 'y'), more(1, '{}')],
    {
      content: 'a',
      tool_calls: [
        { id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } },
        { id: 'y', type: 'function', function: { name: 'f', arguments: '{}' } },
      ],
    },
    'tool_calls',
  ],
  [
    'missing arguments are an empty object',
    call('x', []),
    finished('stop'),
    [head(0, 'x'), more(0, '{}')],
    {
      content: null,
      tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    'tool_calls',
  ],
  [
    'a call cut off by the limit stays incomplete',
    call('x', ['{"a']),
    finished('length'),
    [head(0, 'x'), more(0, '{"a')],
    {
      content: null,
      tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{"a' } }],
    },
    'length',
  ],
  [
    'a custom call',
    part({ type: 'tool-call', id: 'x', name: 'c', form: 'custom' }, ['4 ', '+ 4']),
    finished('tool-calls'),
    [
      { tool_calls: [{ index: 0, id: 'x', type: 'custom', custom: { name: 'c', input: '' } }] },
      { tool_calls: [{ index: 0, custom: { input: '4 ' } }] },
      { tool_calls: [{ index: 0, custom: { input: '+ 4' } }] },
    ],
    {
      content: null,
      tool_calls: [{ id: 'x', type: 'custom', custom: { name: 'c', input: '4 + 4' } }],
    },
    'tool_calls',
  ],
  [
    'a signature that arrives before the arguments',
    call('x', ['{}'], { opaque: signed }),
    finished('tool-calls'),
    [head(0, 'x', google(signed)), more(0, '{}')],
    {
      content: null,
      tool_calls: [
        { id: 'x', type: 'function', function: { name: 'f', arguments: '{}' }, ...google(signed) },
      ],
    },
    'tool_calls',
  ],
  [
    'a signature that arrives after the arguments',
    part({ type: 'tool-call', id: 'x', name: 'f', form: 'function' }, ['{}'], { opaque: signed }),
    finished('tool-calls'),
    [head(0, 'x'), more(0, '{}'), { tool_calls: [{ index: 0, ...google(signed) }] }],
    {
      content: null,
      tool_calls: [
        { id: 'x', type: 'function', function: { name: 'f', arguments: '{}' }, ...google(signed) },
      ],
    },
    'tool_calls',
  ],
  [
    'several reasoning parts: signed, encrypted and neither',
    [
      ...part({ type: 'reasoning' }, ['h', 'm'], { opaque: signed }),
      ...part({ type: 'reasoning' }, ['so'], { opaque: sealed }),
      ...part({ type: 'reasoning' }, [], { opaque: sealed }),
      ...part({ type: 'reasoning' }, ['ok']),
      ...text('a'),
    ],
    finished('stop'),
    [
      thought('h', 0),
      thought('m', 0),
      {
        reasoning_details: [
          {
            type: 'reasoning.text',
            signature: sealOpaque(signed),
            format: 'anthropic-claude-v1',
            index: 0,
          },
        ],
      },
      thought('so', 1),
      {
        reasoning_details: [
          {
            type: 'reasoning.encrypted',
            data: sealOpaque(sealed),
            format: 'openai-responses-v1',
            index: 1,
          },
        ],
      },
      {
        reasoning_details: [
          {
            type: 'reasoning.encrypted',
            data: sealOpaque(sealed),
            format: 'openai-responses-v1',
            index: 2,
          },
        ],
      },
      thought('ok', 3),
      { content: 'a' },
    ],
    {
      content: 'a',
      reasoning_content: 'hmsook',
      reasoning_details: [
        {
          type: 'reasoning.text',
          text: 'hm',
          signature: sealOpaque(signed),
          format: 'anthropic-claude-v1',
          index: 0,
        },
        { type: 'reasoning.text', text: 'so', format: 'openai-responses-v1', index: 1 },
        {
          type: 'reasoning.encrypted',
          data: sealOpaque(sealed),
          format: 'openai-responses-v1',
          index: 1,
        },
        {
          type: 'reasoning.encrypted',
          data: sealOpaque(sealed),
          format: 'openai-responses-v1',
          index: 2,
        },
      ],
    },
    'stop',
  ],
  [
    'a refusal',
    part({ type: 'refusal' }, ['no']),
    finished('stop'),
    [{ refusal: 'no' }],
    { content: null, refusal: 'no' },
    'stop',
  ],
  [
    'a refusal known only at the end',
    [],
    finished('content-filter', { explanation: 'because' }),
    [{ refusal: 'because' }],
    { content: null, refusal: 'because' },
    'content_filter',
  ],
  [
    'link positions count from the start of the whole content',
    [
      ...text('abc'),
      ...part({ type: 'text' }, ['de'], {
        annotations: [
          { url: 'u', start: 1, end: 2 },
          { url: 'v', title: 't' },
        ],
      }),
    ],
    finished('stop'),
    [
      { content: 'abc' },
      { content: 'de' },
      {
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'u', title: 'u', start_index: 4, end_index: 5 },
          },
          {
            type: 'url_citation',
            url_citation: { url: 'v', title: 't', start_index: 3, end_index: 5 },
          },
        ],
      },
    ],
    {
      content: 'abcde',
      annotations: [
        {
          type: 'url_citation',
          url_citation: { url: 'u', title: 'u', start_index: 4, end_index: 5 },
        },
        {
          type: 'url_citation',
          url_citation: { url: 'v', title: 't', start_index: 3, end_index: 5 },
        },
      ],
    },
    'stop',
  ],
  [
    'an image, audio, and media that this protocol lacks',
    [
      ...part({ type: 'media', mime: 'audio/wav', source: { type: 'base64', data: 'YQ==' } }, []),
      ...part({ type: 'media', mime: 'video/mp4', source: { type: 'base64', data: 'YQ==' } }, []),
      ...part({ type: 'media', mime: 'image/png', source: { type: 'base64', data: 'aGk=' } }, []),
      ...part({ type: 'hosted', protocol: 'messages', json: '{}' }, []),
    ],
    finished('stop'),
    [
      { audio: { id: 'audio_0', data: 'YQ==', expires_at: 0, transcript: '' } },
      { content: '[The model answered with video/mp4, which this protocol cannot carry.]' },
      {
        images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' }, index: 0 }],
      },
    ],
    {
      content: '[The model answered with video/mp4, which this protocol cannot carry.]',
      audio: { id: 'audio_0', data: 'YQ==', expires_at: 0, transcript: '' },
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' }, index: 0 }],
    },
    'stop',
  ],
  [
    'signed text',
    part({ type: 'text' }, ['a'], { opaque: signed }),
    finished('stop'),
    [{ content: 'a' }, google(signed)],
    { content: 'a', ...google(signed) },
    'stop',
  ],
]

describe('neutral events as a chat stream and as a whole reply', () => {
  test.each(rows)('%s', (_, events, finish, expected, message, reason) => {
    const all = [begin, ...events, finish]
    const sse = encodeStream(all)
    expect(deltasOf(sse)).toStrictEqual(expected)
    const { chunks, isEnded } = readStream(sse)
    expect(isEnded).toBe(true)
    const choices = choicesOf(chunks)
    expect(choices[0]?.['delta']).toEqual({ role: 'assistant', content: '', refusal: null })
    expect(choices.map((choice) => choice['finish_reason'])).toEqual([
      ...choices.slice(1).map(() => null),
      reason,
    ])
    const whole = parseJson(translation.encodeReply(all, replyContext()))
    expect(whole).toStrictEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'public-model',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', refusal: null, ...message },
          logprobs: null,
          finish_reason: reason,
        },
      ],
    })
  })
})
