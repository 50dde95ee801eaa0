import { describe, expect, test } from 'bun:test'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import { translation } from '../../../../src/protocols/generate-content/translation.ts'
import { decodeStream, issuer, sse, upstreamContext } from './build.ts'

const chunk = (parts: unknown[], more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
})
const end = { finishReason: 'STOP' }
const signed = (data: string) => ({ issuer, kind: 'signature' as const, data })
const call = (name: string, more: object = {}) => ({ functionCall: { name, ...more } })

/** Chunks, the parts that they mean, and the finish reason. */
const rows: [what: string, chunks: unknown[], parts: unknown[], reason: string][] = [
  [
    'text in pieces is one part',
    [chunk([{ text: 'a' }, { text: 'b' }]), chunk([{ text: 'c' }], end)],
    [{ type: 'text', text: 'abc' }],
    'stop',
  ],
  ['an empty text opens no part', [chunk([{ text: '' }]), chunk([{ text: '' }], end)], [], 'stop'],
  [
    'an empty part is skipped',
    [chunk([{ text: 'a' }, {}, { text: 'b' }], end)],
    [{ type: 'text', text: 'ab' }],
    'stop',
  ],
  ['a candidate without content', [{ candidates: [{ finishReason: 'MAX_TOKENS' }] }], [], 'length'],
  [
    'the finish reason CONTINUATION',
    [{ candidates: [{ finishReason: 'CONTINUATION' }] }],
    [],
    'length',
  ],
  [
    'content without parts',
    [{ candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS' }] }],
    [],
    'length',
  ],
  [
    'null instead of objects',
    [{ candidates: null }, { candidates: [{ content: null, ...end }, null] }],
    [],
    'stop',
  ],
  [
    'reasoning, then text',
    [chunk([{ text: 'hm', thought: true }]), chunk([{ text: 'so' }], end)],
    [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'so' },
    ],
    'stop',
  ],
  [
    'text, reasoning, text',
    [chunk([{ text: 'a' }, { text: 'b', thought: true }, { text: 'c' }], end)],
    [{ text: 'a' }, { type: 'reasoning', text: 'b' }, { text: 'c' }],
    'stop',
  ],
  [
    'a signature after text',
    [chunk([{ text: 'a' }]), chunk([{ text: '', thoughtSignature: 'S' }], end)],
    [{ type: 'text', text: 'a', opaque: signed('S') }],
    'stop',
  ],
  [
    'a signature with text',
    [chunk([{ text: 'a', thoughtSignature: 'S' }, { text: 'b' }], end)],
    [
      { text: 'a', opaque: signed('S') },
      { text: 'b', opaque: undefined },
    ],
    'stop',
  ],
  [
    'a signature after a call',
    [chunk([call('f', { id: 'i' })]), chunk([{ text: '', thoughtSignature: 'S' }], end)],
    [{ type: 'tool-call' }, { type: 'reasoning', text: '', opaque: signed('S') }],
    'tool-calls',
  ],
  [
    'a call that ends with STOP',
    [
      chunk(
        [{ text: 'a' }, { ...call('f', { id: 'i', args: { n: 1 } }), thoughtSignature: 'S' }],
        end,
      ),
    ],
    [
      { text: 'a' },
      { type: 'tool-call', id: 'i', name: 'f', argumentsText: '{"n":1}', opaque: signed('S') },
    ],
    'tool-calls',
  ],
  [
    'calls without ids and arguments',
    [chunk([call('f'), call('f', { id: '' })], end)],
    [
      { id: 'call_1', argumentsText: '{}' },
      { id: 'call_2', argumentsText: '{}' },
    ],
    'tool-calls',
  ],
  [
    'a call cut off by the token limit',
    [chunk([call('f', { id: 'i' })], { finishReason: 'MAX_TOKENS' })],
    [{ type: 'tool-call' }],
    'length',
  ],
  [
    'a malformed call',
    [{ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'm' }] }],
    [],
    'malformed-call',
  ],
  [
    'a content filter',
    [chunk([{ text: 'a' }], { finishReason: 'RECITATION' })],
    [{ text: 'a' }],
    'content-filter',
  ],
  [
    'an unknown finish reason',
    [chunk([{ text: 'a' }], { finishReason: 'NEW' })],
    [{ text: 'a' }],
    'other',
  ],
  [
    'a finish reason as a number',
    [chunk([{ text: 'a' }], { finishReason: 2 })],
    [{ text: 'a' }],
    'length',
  ],
  [
    'a finish reason in every chunk',
    [chunk([{ text: 'a' }], end), chunk([{ text: 'b' }], { finishReason: 'SAFETY' })],
    [{ text: 'ab' }],
    'content-filter',
  ],
  [
    'an image',
    [chunk([{ inlineData: { mimeType: 'image/png', data: 'AA==' } }], end)],
    [{ type: 'media', kind: 'image', source: { type: 'base64', data: 'AA==' } }],
    'stop',
  ],
  [
    'code that the vendor executed',
    [chunk([{ executableCode: { code: 'x' } }, { codeExecutionResult: {} }, { text: 'a' }], end)],
    [
      { type: 'hosted', json: '{"executableCode":{"code":"x"}}' },
      { type: 'hosted' },
      { text: 'a' },
    ],
    'stop',
  ],
  [
    'a call that the vendor answered',
    [
      chunk([call('f', { id: 'i' })], end),
      chunk([{ functionResponse: { name: 'f' } }]),
      chunk([{ text: 'a' }], end),
    ],
    [{ type: 'hosted' }, { type: 'hosted' }, { text: 'a' }],
    'stop',
  ],
  [
    'arguments in pieces',
    [
      chunk([{ ...call('f', { id: 'i', willContinue: true }), thoughtSignature: 'S' }]),
      chunk([
        {
          functionCall: {
            partialArgs: [{ jsonPath: '$.a', stringValue: 'x', willContinue: true }],
            willContinue: true,
          },
        },
      ]),
      chunk([
        {
          functionCall: {
            partialArgs: [{ jsonPath: '$.a', stringValue: 'y' }],
            willContinue: true,
          },
        },
      ]),
      chunk([{ functionCall: {} }]),
      chunk([call('g', { id: 'j', willContinue: true })]),
      chunk([{ text: '' }], end),
    ],
    [
      { name: 'f', argumentsText: '{"a":"xy"}', opaque: signed('S') },
      { name: 'g', argumentsText: '{}' },
    ],
    'tool-calls',
  ],
]

describe('a stream of the service', () => {
  test.each(rows)('%s', (_, chunks, parts, reason) => {
    const stream = sse(...chunks)
    for (const lengths of [[stream.length * 4], [1], [7, 3, 1]]) {
      const events = decodeStream(stream, lengths)
      const reply = foldReply(events)
      expect(reply.answers[0]?.parts.map((each) => each.part)).toMatchObject(parts)
      expect(reply.answers[0]?.parts).toHaveLength(parts.length)
      expect(reply.answers[0]?.finish.reason).toBe(reason as never)
      expect(events[0]?.type).toBe('reply-start')
      expect(events.filter((event) => event.type === 'reply-end')).toHaveLength(1)
      expect(events.at(-1)?.type).toBe('reply-end')
    }
  })

  test.each(rows)('%s: the same as a whole reply', (_, chunks, parts, reason) => {
    const reply = foldReply(translation.decodeReply(JSON.stringify(chunks), upstreamContext()))
    expect(reply.answers[0]?.parts.map((each) => each.part)).toMatchObject(parts)
    expect(reply.answers[0]?.finish.reason).toBe(reason as never)
  })

  const cut: [what: string, stream: string][] = [
    ['nothing', ''],
    ['a comment', ': hello\n\n'],
    ['data that is not JSON', 'data: {"candidates":[{\n\n'],
    ['a stream without a finish reason', sse(chunk([{ text: 'a' }]))],
    ['content after the finish reason', sse(chunk([{ text: 'a' }], end), chunk([{ text: 'b' }]))],
    [
      'a candidate without a finish reason',
      sse(chunk([{ text: 'a' }], end), chunk([{ text: 'b' }], { index: 1 })),
    ],
  ]

  test.each(cut)('%s is not an end', (_, stream) => {
    const events = decodeStream(stream)
    expect(events.some((event) => event.type === 'reply-end' || event.type === 'fault')).toBe(false)
  })

  test('identity and usage', () => {
    const usageMetadata = {
      promptTokenCount: 3520,
      cachedContentTokenCount: 3512,
      candidatesTokenCount: 2,
      thoughtsTokenCount: 42,
      toolUsePromptTokenCount: 10,
    }
    const first = {
      ...chunk([{ text: 'a' }]),
      responseId: 'r',
      modelVersion: 'v',
      usageMetadata: { promptTokenCount: 1 },
    }
    const reply = foldReply(
      decodeStream(sse(first, { ...chunk([{ text: '' }], end), usageMetadata })),
    )
    expect(reply).toMatchObject({ id: 'r', model: 'v' })
    expect(reply.usage).toEqual({
      input: 18,
      cacheRead: 3512,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      output: 44,
      reasoning: 42,
    })
  })

  test('big numbers and the order of keys in arguments', () => {
    const args = '{"b": 12345678901234567890, "a": 1.0, "2": 1e400}'
    const stream = `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${args}}}]},"finishReason":"STOP"}]}\n\n`
    expect(foldReply(decodeStream(stream)).answers[0]?.parts[0]?.part).toMatchObject({
      argumentsText: args,
    })
  })

  test('a blocked prompt is a filtered answer, not a failure', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'why' } }
    for (const events of [
      decodeStream(sse(blocked)),
      translation.decodeReply(JSON.stringify(blocked), upstreamContext()),
    ]) {
      expect(events.at(-1)).toEqual({
        type: 'reply-end',
        finishes: [{ reason: 'content-filter', raw: 'SAFETY', explanation: 'why' }],
      })
    }
  })

  test('several candidates, each with its own parts', () => {
    const both = {
      candidates: [
        { content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' },
        { content: { parts: [{ text: 'b' }] }, index: 1, finishReason: 'MAX_TOKENS' },
      ],
    }
    const { answers } = foldReply(decodeStream(sse(both)))
    expect(answers.map(({ finish }) => finish.reason)).toEqual(['stop', 'length'])
    expect(answers.map(({ parts }) => parts[0]?.part)).toMatchObject([{ text: 'a' }, { text: 'b' }])
  })

  test('sources, with their positions in characters', () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }, { web: { uri: 'https://b' } }],
      groundingSupports: [{ segment: { startIndex: 4, endIndex: 8 }, groundingChunkIndices: [0] }],
    }
    const citationMetadata = { citationSources: [{ startIndex: 0, endIndex: 2, uri: 'https://c' }] }
    const stream = sse(
      chunk([{ text: 'é°wo' }]),
      chunk([{ text: 'rd' }], { ...end, groundingMetadata, citationMetadata }),
    )
    expect(foldReply(decodeStream(stream)).answers[0]?.parts[0]?.part).toMatchObject({
      text: 'é°word',
      annotations: [
        { url: 'https://a', title: 'A', start: 2, end: 6 },
        { url: 'https://b', title: undefined, start: undefined },
        { url: 'https://c', start: 0, end: 1 },
      ],
    })
  })

  test('probabilities', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'a', logProbability: -0.5 }],
      topCandidates: [
        {
          candidates: [
            { token: 'a', logProbability: -0.5 },
            { token: 'b', logProbability: -1 },
          ],
        },
      ],
    }
    const { answers } = foldReply(
      decodeStream(sse(chunk([{ text: 'a' }], { ...end, logprobsResult }))),
    )
    expect(answers[0]?.parts[0]?.logprobs).toMatchObject([
      { token: 'a', logprob: -0.5, top: [{ token: 'a' }, { token: 'b', logprob: -1 }] },
    ])
  })

  test.each([
    ['as an event', sse({ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } })],
    ['bare', '{\n"error": {"code": 503, "message": "busy"}\n}\n'],
  ])('a failure %s ends the reply', (_, failure) => {
    const events = decodeStream(sse(chunk([{ text: 'a' }], end)) + failure)
    expect(events.at(-1)).toMatchObject({ type: 'fault', fault: { message: 'busy', status: 503 } })
    expect(events.some((event) => event.type === 'reply-end')).toBe(false)
  })
})

test.each([
  '',
  'no JSON',
  '[]',
  '{}',
  '{"id":"chatcmpl-1","choices":[]}',
  '{"id":"resp_1","output":[],"error":null}',
  '5',
  'null',
])('%j is not a reply', (text) => {
  expect(translation.decodeReply(text, upstreamContext())).toMatchObject([
    { type: 'fault', fault: { code: 'upstream_error', status: 502 } },
  ])
})
