import { describe, expect, test } from 'bun:test'
import fastCheck from 'fast-check'
import { Fault } from '../../../../src/core/fault.ts'
import { noUsage } from '../../../../src/core/money/usage.ts'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type { FinishReason, ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { openSealedBase64 } from '../../../../src/protocols/fit/seal-opaque.ts'
import { translation } from '../../../../src/protocols/generate-content/translation.ts'
import { isObject, parseJson } from '../../../../src/wire/json.ts'
import { repeats } from '../../../support/repeats.ts'
import { chunksOf, decodeStream, encodeStream, replyContext } from './build.ts'

const start: ReplyEvent = { type: 'reply-start', id: 'up-1', model: 'up' }
const ended = (reason: FinishReason, more: object = {}): ReplyEvent => ({
  type: 'reply-end',
  finishes: [{ reason, raw: undefined, ...more }],
})
const opaque = { issuer: 'anthropic/claude', kind: 'signature', data: 'sig' } as const

function part(
  head: Extract<ReplyEvent, { type: 'part-start' }>['part'],
  deltas: string[],
  more: object = {},
): ReplyEvent[] {
  return [
    { type: 'part-start', answer: 0, part: head },
    ...deltas.map((text): ReplyEvent => ({ type: 'part-delta', answer: 0, text })),
    { type: 'part-end', answer: 0, ...more },
  ]
}

const call = (id: string, deltas: string[], more: object = {}) =>
  part({ type: 'tool-call', id, name: 'f', form: 'function' }, deltas, more)
const text = (...deltas: string[]) => part({ type: 'text' }, deltas)
const thought = (deltas: string[], more: object = {}) => part({ type: 'reasoning' }, deltas, more)

/** The parts of all chunks of answer 0, with the envelopes of signatures opened. */
function partsIn(values: unknown[]): unknown[] {
  return values.flatMap((value) => {
    const candidates =
      isObject(value) && Array.isArray(value['candidates']) ? value['candidates'] : []
    const [first] = candidates
    const content = isObject(first) ? first['content'] : undefined
    const parts = isObject(content) && Array.isArray(content['parts']) ? content['parts'] : []
    return parts.map((each: unknown) => {
      if (!isObject(each) || typeof each['thoughtSignature'] !== 'string') return each
      const { thoughtSignature: sealed, ...plain } = each
      const forThoughts = openSealedBase64(sealed, '.thoughts')
      return forThoughts
        ? { ...plain, ofThoughts: forThoughts }
        : { ...plain, thoughtSignature: openSealedBase64(sealed) }
    })
  })
}

const last = { text: '' }

const rows: [what: string, events: ReplyEvent[], streamed: unknown[], whole: unknown[]][] = [
  ['nothing', [], [], []],
  ['text in pieces', text('a', '', 'b'), [{ text: 'a' }, { text: 'b' }, last], [{ text: 'ab' }]],
  ['empty deltas open no part', [...text(''), ...thought([''])], [], []],
  [
    'thoughts',
    thought(['hm']),
    [{ text: 'hm', thought: true }, last],
    [{ text: 'hm', thought: true }],
  ],
  [
    'the token of reasoning follows on the next text',
    [...thought(['hm'], { opaque }), ...text('a', 'b')],
    [{ text: 'hm', thought: true }, { text: 'a' }, { text: 'b' }, { text: '', ofThoughts: opaque }],
    [
      { text: 'hm', thought: true },
      { text: 'ab', ofThoughts: opaque },
    ],
  ],
  [
    'the token of reasoning follows on the next call',
    [...thought([], { opaque }), ...call('i', ['{}'])],
    [{ functionCall: { id: 'i', name: 'f', args: {} }, ofThoughts: opaque }, last],
    [{ functionCall: { id: 'i', name: 'f', args: {} }, ofThoughts: opaque }],
  ],
  [
    'the token of reasoning follows on the first of several calls, with text in between',
    [...thought(['hm'], { opaque }), ...text('a'), ...call('i', ['{}']), ...call('j', ['{}'])],
    [
      { text: 'hm', thought: true },
      { text: 'a' },
      { functionCall: { id: 'i', name: 'f', args: {} }, ofThoughts: opaque },
      { functionCall: { id: 'j', name: 'f', args: {} } },
      last,
    ],
    [
      { text: 'hm', thought: true },
      { text: 'a' },
      { functionCall: { id: 'i', name: 'f', args: {} }, ofThoughts: opaque },
      { functionCall: { id: 'j', name: 'f', args: {} } },
    ],
  ],
  [
    'the token of reasoning has its own part if nothing follows',
    [...text('a'), ...thought([], { opaque })],
    [{ text: 'a' }, { text: '', thought: true, thoughtSignature: opaque }],
    [{ text: 'a' }, { text: '', thought: true, thoughtSignature: opaque }],
  ],
  [
    'two tokens of reasoning',
    [
      ...thought(['a'], { opaque }),
      ...thought(['b'], { opaque: { ...opaque, data: '2' } }),
      ...text('c'),
    ],
    [
      { text: 'a', thought: true },
      { text: '', thought: true, thoughtSignature: opaque },
      { text: 'b', thought: true },
      { text: 'c' },
      { text: '', ofThoughts: { ...opaque, data: '2' } },
    ],
    [
      { text: 'a', thought: true, thoughtSignature: opaque },
      { text: 'b', thought: true },
      { text: 'c', ofThoughts: { ...opaque, data: '2' } },
    ],
  ],
  [
    'tokens of reasoning and of the text after it',
    [...thought(['hm'], { opaque }), ...part({ type: 'text' }, ['ab'], { opaque })],
    [
      { text: 'hm', thought: true },
      { text: 'ab' },
      { text: '', ofThoughts: opaque },
      { text: '', thoughtSignature: opaque },
      last,
    ],
    [
      { text: 'hm', thought: true, thoughtSignature: opaque },
      { text: 'ab', thoughtSignature: opaque },
    ],
  ],
  [
    'a call in pieces is one part with whole arguments',
    call('i', ['{"ci', 'ty":', '"SF"}']),
    [{ functionCall: { id: 'i', name: 'f', args: { city: 'SF' } } }, last],
    [{ functionCall: { id: 'i', name: 'f', args: { city: 'SF' } } }],
  ],
  [
    'arguments on several lines stay in one event',
    call('i', ['{\n  "a": "x\\n"\r\n}']),
    [{ functionCall: { id: 'i', name: 'f', args: { a: 'x\n' } } }, last],
    [{ functionCall: { id: 'i', name: 'f', args: { a: 'x\n' } } }],
  ],
  [
    'a call without arguments',
    call('i', []),
    [{ functionCall: { id: 'i', name: 'f', args: {} } }, last],
    [{ functionCall: { id: 'i', name: 'f', args: {} } }],
  ],
  [
    'incomplete arguments are sent unchanged',
    call('i', ['{"a":']),
    [{ functionCall: { id: 'i', name: 'f', args: { _raw: '{"a":' } } }, last],
    [{ functionCall: { id: 'i', name: 'f', args: { _raw: '{"a":' } } }],
  ],
  [
    'a signed call',
    call('i', ['{}'], { opaque }),
    [{ functionCall: { id: 'i', name: 'f', args: {} }, thoughtSignature: opaque }, last],
    [{ functionCall: { id: 'i', name: 'f', args: {} }, thoughtSignature: opaque }],
  ],
  [
    'media, and hosted parts of another protocol',
    [
      ...part({ type: 'media', mime: 'image/png', source: { type: 'base64', data: 'AA==' } }, []),
      ...part({ type: 'hosted', protocol: 'responses', json: '{"a":1}' }, []),
      ...part({ type: 'hosted', protocol: 'generate-content', json: '{"executableCode":{}}' }, []),
    ],
    [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }, { executableCode: {} }, last],
    [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }, { executableCode: {} }],
  ],
]

describe('a reply of another protocol', () => {
  test.each(rows)('%s', (_, events, streamed, whole) => {
    const all = [start, ...events, ended('stop')]
    const chunks = chunksOf(encodeStream(all))
    expect(partsIn(chunks)).toEqual(streamed)
    expect(chunksOf(encodeStream(all, 'json-list'))).toEqual(chunks)
    expect(partsIn([parseJson(translation.encodeReply(all, replyContext()))])).toEqual(whole)
  })

  const finishes: [reason: FinishReason, more: object, word: string][] = [
    ['stop', {}, 'STOP'],
    ['stop-sequence', {}, 'STOP'],
    ['tool-calls', { raw: 'tool_use' }, 'STOP'],
    ['length', {}, 'MAX_TOKENS'],
    ['content-filter', {}, 'SAFETY'],
    ['content-filter', { raw: 'RECITATION' }, 'RECITATION'],
    ['content-filter', { raw: 'OTHER' }, 'SAFETY'],
    ['pause', {}, 'STOP'],
    ['malformed-call', {}, 'MALFORMED_FUNCTION_CALL'],
    ['other', {}, 'OTHER'],
  ]

  test.each(finishes)('%s %j', (reason, more, finishReason) => {
    const chunks = chunksOf(encodeStream([start, ...text('a'), ended(reason, more)]))
    expect(chunks.at(-1)).toMatchObject({ candidates: [{ finishReason }] })
    expect(JSON.stringify(chunks.slice(0, -1))).not.toContain('finishReason')
  })

  test('a refusal is a filtered answer without parts', () => {
    const refused = [start, ...part({ type: 'refusal' }, ['I ', 'cannot.']), ended('stop')]
    const candidate = {
      content: { role: 'model' },
      finishReason: 'SAFETY',
      finishMessage: 'I cannot.',
      index: 0,
    }
    expect(chunksOf(encodeStream(refused))).toMatchObject([{ candidates: [candidate] }])
    const whole = parseJson(translation.encodeReply(refused, replyContext()))
    expect(whole).toMatchObject({ candidates: [candidate] })
  })

  test('usage is on the last chunk and adds up; identity is the same in all', () => {
    const usage = {
      input: 8,
      cacheRead: 3512,
      cacheWrite5m: 4,
      cacheWrite1h: 2,
      output: 44,
      reasoning: 42,
    }
    const events: ReplyEvent[] = [
      start,
      { type: 'usage', usage: noUsage },
      ...text('a'),
      { type: 'usage', usage },
      ended('stop'),
    ]
    const chunks = chunksOf(encodeStream(events))
    const usageMetadata = {
      promptTokenCount: 3526,
      cachedContentTokenCount: 3512,
      candidatesTokenCount: 2,
      thoughtsTokenCount: 42,
      totalTokenCount: 3570,
    }
    expect(chunks.at(-1)).toMatchObject({ usageMetadata })
    expect(chunks[0]).not.toHaveProperty('usageMetadata')
    for (const chunk of chunks)
      expect(chunk).toMatchObject({ modelVersion: 'm', responseId: 'minted' })
    expect(parseJson(translation.encodeReply(events, replyContext()))).toMatchObject({
      usageMetadata,
    })
  })

  test('sources, with their positions in bytes', () => {
    const annotations = [
      { url: 'https://a', title: 'A', start: 2, end: 6, citedText: undefined },
      { url: 'https://a', title: 'A', start: undefined, end: undefined, citedText: undefined },
    ]
    const events = [
      start,
      ...part({ type: 'text' }, ['é°', 'word'], { annotations }),
      ended('stop'),
    ]
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }],
      groundingSupports: [
        { segment: { startIndex: 4, endIndex: 8, text: 'word' }, groundingChunkIndices: [0] },
      ],
    }
    expect(chunksOf(encodeStream(events)).at(-1)).toMatchObject({
      candidates: [{ groundingMetadata }],
    })
    const [, ...rest] = events
    const later = [start, ...thought(['hm'], { opaque }), ...text('a'), ...rest]
    const [support] = groundingMetadata.groundingSupports
    const segment = { ...support?.segment, partIndex: 2 }
    expect(parseJson(translation.encodeReply(later, replyContext()))).toMatchObject({
      candidates: [{ groundingMetadata: { groundingSupports: [{ segment }] } }],
    })
  })

  test('several answers', () => {
    const events: ReplyEvent[] = [
      start,
      { type: 'part-start', answer: 1, part: { type: 'text' } },
      { type: 'part-start', answer: 0, part: { type: 'text' } },
      { type: 'part-delta', answer: 1, text: 'b' },
      { type: 'part-delta', answer: 0, text: 'a' },
      { type: 'part-end', answer: 0 },
      { type: 'part-end', answer: 1 },
      {
        type: 'reply-end',
        finishes: [
          { reason: 'stop', raw: undefined },
          { reason: 'length', raw: undefined },
        ],
      },
    ]
    const chunks = chunksOf(encodeStream(events))
    expect(chunks).toMatchObject([
      { candidates: [{ index: 1, content: { parts: [{ text: 'b' }] } }] },
      { candidates: [{ index: 0, content: { parts: [{ text: 'a' }] } }] },
      {
        candidates: [
          { index: 0, finishReason: 'STOP' },
          { index: 1, finishReason: 'MAX_TOKENS' },
        ],
      },
    ])
  })

  test.each(['sse', 'json-list'] as const)('a failure in the middle, %s', (framing) => {
    const fault: ReplyEvent = { type: 'fault', fault: new Fault('upstream_error', 'broken') }
    for (const events of [[fault], [start, ...text('a'), fault]]) {
      const chunks = chunksOf(encodeStream(events, framing))
      expect(chunks.at(-1)).toMatchObject({
        error: { code: 502, message: 'broken', status: 'INTERNAL' },
      })
      expect(JSON.stringify(chunks)).not.toContain('finishReason')
    }
  })

  test('a failure in place of the end leaves a valid list', () => {
    const encoder = translation.openEncoder(replyContext('json-list'))
    encoder.push(start)
    encoder.push(ended('stop'))
    const failed = encoder.push({ type: 'fault', fault: new Fault('upstream_error', 'broken') })
    expect(parseJson(failed)).toMatchObject([{ error: { message: 'broken' } }])
  })
})

describe('any legal reply', () => {
  const words = fastCheck.array(fastCheck.string({ unit: 'grapheme', maxLength: 8 }), {
    maxLength: 4,
  })
  const token = fastCheck.option(
    fastCheck.record({
      issuer: fastCheck.constant('google/gemini'),
      kind: fastCheck.constant('signature' as const),
      data: fastCheck.base64String({ minLength: 4 }),
    }),
    { nil: undefined },
  )
  const args = fastCheck
    .json()
    .map((json) => (json.startsWith('{') ? json : JSON.stringify({ v: json })))
  const anyPart = fastCheck.oneof(
    fastCheck
      .tuple(words, token)
      .map(([deltas, each]) => part({ type: 'text' }, deltas, { opaque: each })),
    fastCheck
      .tuple(words, token)
      .map(([deltas, each]) => part({ type: 'reasoning' }, deltas, { opaque: each })),
    fastCheck
      .tuple(fastCheck.uuid(), args, fastCheck.nat(5))
      .map(([id, json, cut]) => call(id, [json.slice(0, cut), json.slice(cut)])),
  )

  test('means the same when it is read again, as a stream, as a list and not streamed', () => {
    fastCheck.assert(
      fastCheck.property(fastCheck.array(anyPart, { maxLength: 6 }), (parts) => {
        const events = [start, ...parts.flat(), ended('stop')]
        const stream = encodeStream(events)
        const meaning = meaningOf(events)
        expect(meaningOf(decodeStream(stream))).toEqual(meaning)
        const whole = translation.encodeReply(events, replyContext())
        const context = { issuer: 'x', replies: {}, mint: () => 'x' }
        expect(meaningOf(translation.decodeReply(whole, context))).toEqual(meaning)
        expect(chunksOf(encodeStream(events, 'json-list'))).toEqual(chunksOf(stream))
      }),
      { numRuns: repeats(300) },
    )
  })

  /** Texts by kind, and calls; the division into parts does not count. */
  function meaningOf(events: readonly ReplyEvent[]) {
    const parts = foldReply(events).answers[0]?.parts.map((each) => each.part) ?? []
    const joined = (type: 'text' | 'reasoning') =>
      parts.map((each) => (each.type === type ? each.text : '')).join('')
    const calls = parts.flatMap((each) =>
      each.type === 'tool-call' ? [[each.id, each.name, each.argumentsText]] : [],
    )
    return { text: joined('text'), reasoning: joined('reasoning'), calls }
  }
})
