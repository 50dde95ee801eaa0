import { describe, expect, test } from 'bun:test'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import { callDelta, called, delta, end, ended, finish, fn, partStart, start } from './chunks.ts'
import { decodeChunks, decodeText, deltas, issuer } from './helpers.ts'

type Row = [name: string, chunks: unknown[], events: object[]]

const rows: Row[] = [
  [
    'text: a role and empty pieces open no part',
    [
      ...deltas(
        { role: 'assistant', content: '', refusal: null },
        { content: 'a' },
        { content: '' },
        { content: 'b' },
      ),
      finish('stop'),
    ],
    [start, partStart({ type: 'text' }), delta('a'), delta('b'), end(), ended('stop', 'stop')],
  ],
  ['an empty stream', [], [{ type: 'reply-start' }, ended('other', undefined)]],
  [
    'deltas that are null or missing',
    [
      { id: 'c1', model: 'm1', choices: [{ index: 0, delta: null }, { index: 0 }, null] },
      finish('stop'),
    ],
    [start, ended('stop', 'stop')],
  ],
  [
    'the last text in the chunk with the finish reason',
    [
      {
        id: 'c1',
        model: 'm1',
        choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'length' }],
      },
    ],
    [start, partStart({ type: 'text' }), delta('a'), end(), ended('length', 'length')],
  ],
  [
    'an empty first chunk, as Azure sends it',
    [{ id: '', model: '', choices: [], prompt_filter_results: [] }, ...deltas({ content: 'a' })],
    [start, partStart({ type: 'text' }), delta('a'), end(), ended('other', undefined)],
  ],
  [
    'reasoning, then text',
    [
      ...deltas(
        { reasoning_content: 'h' },
        { reasoning_content: 'm', content: '' },
        { content: 'a', reasoning_content: null },
      ),
    ],
    [
      start,
      partStart({ type: 'reasoning' }),
      delta('h'),
      delta('m'),
      end(),
      partStart({ type: 'text' }),
      delta('a'),
      end(),
      ended('other', undefined),
    ],
  ],
  [
    'the same reasoning in two fields counts once',
    [
      ...deltas(
        { reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }] },
        { content: 'a' },
      ),
    ],
    [
      start,
      partStart({ type: 'reasoning' }),
      delta('hm'),
      end(),
      partStart({ type: 'text' }),
      delta('a'),
      end(),
      ended('other', undefined),
    ],
  ],
  [
    'a signature after the reasoning, in a chunk with text',
    [
      ...deltas(
        {
          reasoning_details: [
            { type: 'reasoning.text', text: 'h', signature: '', format: 'x', index: 0 },
          ],
        },
        {
          reasoning_details: [
            { type: 'reasoning.text', text: 'm', signature: '', format: 'x', index: 0 },
          ],
        },
        {
          reasoning_details: [
            { type: 'reasoning.text', text: '', signature: 'sig', format: 'x', index: 0 },
          ],
        },
        { content: 'a' },
      ),
    ],
    [
      start,
      partStart({ type: 'reasoning' }),
      delta('h'),
      delta('m'),
      end({
        opaque: {
          issuer,
          kind: 'signature',
          data: '[{"type":"reasoning.text","signature":"sig","format":"x","index":0}]',
        },
      }),
      partStart({ type: 'text' }),
      delta('a'),
      end(),
      ended('other', undefined),
    ],
  ],
  [
    'encrypted reasoning without text, after the call',
    [
      ...deltas(callDelta({ index: 0, id: 'x', ...fn('f', '{}') }), {
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'enc', id: 'x' }],
      }),
    ],
    [
      start,
      called('x', 'f'),
      delta('{}'),
      end(),
      partStart({ type: 'reasoning' }),
      end({
        opaque: {
          issuer,
          kind: 'sealed',
          data: '[{"type":"reasoning.encrypted","data":"enc","id":"x"}]',
        },
      }),
      ended('tool-calls', undefined),
    ],
  ],
  [
    'content in Mistral’s form',
    [
      ...deltas(
        { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
        {
          content: [
            { type: 'text', text: 'a' },
            { type: 'reference', reference_ids: [1] },
          ],
        },
      ),
    ],
    [
      start,
      partStart({ type: 'reasoning' }),
      delta('hm'),
      end(),
      partStart({ type: 'text' }),
      delta('a'),
      end(),
      ended('other', undefined),
    ],
  ],
  [
    'a refusal',
    [...deltas({ refusal: 'n' }, { refusal: 'o' }), finish('stop')],
    [start, partStart({ type: 'refusal' }), delta('n'), delta('o'), end(), ended('stop', 'stop')],
  ],
  [
    'links',
    [
      ...deltas(
        { content: 'a' },
        {
          annotations: [
            {
              type: 'url_citation',
              url_citation: { url: 'u', title: 't', start_index: 0, end_index: 1 },
            },
            null,
            { type: 'file' },
          ],
        },
      ),
    ],
    [
      start,
      partStart({ type: 'text' }),
      delta('a'),
      end({ annotations: [{ url: 'u', title: 't', start: 0, end: 1, citedText: undefined }] }),
      ended('other', undefined),
    ],
  ],
  [
    'an image',
    [
      ...deltas({
        images: [{ type: 'image_url', image_url: { url: 'data:image/webp;base64,aGk=' } }],
      }),
    ],
    [
      start,
      partStart({ type: 'media', mime: 'image/webp', source: { type: 'base64', data: 'aGk=' } }),
      end(),
      ended('other', undefined),
    ],
  ],
  [
    'two concurrent answers',
    [
      { id: 'c1', model: 'm1', choices: [{ index: 1, delta: { content: 'b' } }] },
      { choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] },
      { choices: [{ index: 1, delta: {}, finish_reason: 'length' }] },
    ],
    [
      start,
      partStart({ type: 'text' }, 1),
      delta('b', 1),
      partStart({ type: 'text' }),
      delta('a'),
      end(),
      end({}, 1),
      {
        type: 'reply-end',
        finishes: [
          { reason: 'stop', raw: 'stop' },
          { reason: 'length', raw: 'length' },
        ],
      },
    ],
  ],
  [
    'vLLM reports the matched stop sequence',
    [...deltas({}), finish('stop', { stop_reason: 'END' })],
    [
      start,
      {
        type: 'reply-end',
        finishes: [{ reason: 'stop-sequence', raw: 'stop', stopSequence: 'END' }],
      },
    ],
  ],
]

describe('a chat stream in neutral events', () => {
  test.each(rows)('%s', (_, chunks, events) => {
    expect(decodeChunks(chunks)).toEqual(events as never)
  })

  test('usage may be in any chunk, and a later report replaces an earlier one', () => {
    const usage = (count: number) => ({ prompt_tokens: count, completion_tokens: count })
    const events = decodeChunks([
      ...deltas({ content: 'a' }).map((chunk) => Object.assign({}, chunk, { usage: usage(1) })),
      { choices: [], x_groq: { usage: usage(2) } },
      { choices: [], usage: usage(3) },
    ])
    expect(events.filter(({ type }) => type === 'usage')).toHaveLength(3)
    expect(foldReply(events).usage).toMatchObject({ input: 3, output: 3 })
    expect(events.at(-1)?.type).toBe('reply-end')
  })

  test('probabilities stay with their text', () => {
    const token = {
      token: 'a',
      logprob: -0.5,
      bytes: [97],
      top_logprobs: [{ token: 'b', logprob: -1, bytes: null }],
    }
    const chunk = {
      choices: [
        { index: 0, delta: { content: 'a' }, logprobs: { content: [token], refusal: null } },
      ],
    }
    expect(decodeChunks([chunk])[2]).toEqual({
      type: 'part-delta',
      answer: 0,
      text: 'a',
      logprobs: [
        {
          token: 'a',
          logprob: -0.5,
          bytes: [97],
          top: [{ token: 'b', logprob: -1, bytes: undefined }],
        },
      ],
    })
  })

  test('a stream that was cut before its finish reason has no end', () => {
    const events = decodeChunks(deltas({ content: 'a' }), false)
    expect(events.map(({ type }) => type)).not.toContain('reply-end')
  })

  test('a stream without its terminator ends with its finish reason', () => {
    const events = decodeChunks([...deltas({ content: 'a' }), finish('stop')], false)
    expect(events.at(-1)).toEqual({
      type: 'reply-end',
      finishes: [{ reason: 'stop', raw: 'stop' }],
    })
  })

  test('nothing follows the terminator', () => {
    const text =
      'data: [DONE]\n\ndata: {"choices":[{"delta":{"content":"late"}}]}\n\ndata: [DONE]\n\n'
    expect(decodeText(text).map(({ type }) => type)).toEqual(['reply-start', 'reply-end'])
  })

  test('comments, lines that are not JSON and unknown objects are skipped', () => {
    const text =
      ': PROCESSING\n\ndata: hello\n\ndata: [1]\n\ndata: {"ping":true}\n\nevent: x\n\ndata: [DONE]\n\n'
    expect(decodeText(text)).toEqual([
      { type: 'reply-start', id: undefined, model: undefined },
      { type: 'reply-end', finishes: [{ reason: 'other', raw: undefined }] },
    ])
  })
})
