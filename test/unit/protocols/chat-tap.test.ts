import { describe, expect, test } from 'bun:test'
import { noUsage } from '../../../src/core/money/usage.ts'
import { tapStream } from './tap-stream.ts'

const text = (content: string, more = '') =>
  `data: {"id":"c1","choices":[{"index":0,"delta":{"content":"${content}"}}]${more}}\n\n`
const usage = '{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}'
const usageChunk = `data: {"id":"c1","choices":[],"usage":${usage}}\n\n`
const done = 'data: [DONE]\n\n'
const counted = { ...noUsage, input: 9, output: 2 }

type Row = [name: string, stream: string, hidden: string]

/** Each stream, and its form for a client that did not request usage. */
const rows: Row[] = [
  ['a chunk with only usage', text('a') + usageChunk + done, text('a') + done],
  [
    'usage null in every chunk, as OpenAI sends it',
    text('a', ',"usage":null') + text('b', ',"usage":null') + usageChunk + done,
    text('a') + text('b') + done,
  ],
  ['usage in the last chunk with content', text('a', `,"usage":${usage}`) + done, text('a') + done],
  [
    'usage as the first member',
    `data: {"usage":${usage},"choices":[{"index":0,"delta":{"content":"a"}}],"x":1.0}\n\n${done}`,
    `data: {"choices":[{"index":0,"delta":{"content":"a"}}],"x":1.0}\n\n${done}`,
  ],
  [
    'usage with an escaped name',
    `data: {"choices":[{"delta":{"content":"a"}}],"us\\u0061ge":${usage}}\n\n${done}`,
    `data: {"choices":[{"delta":{"content":"a"}}]}\n\n${done}`,
  ],
  [
    'a chunk without choices that is not a usage report stays',
    `data: {"choices":[],"prompt_filter_results":[],"usage":null}\n\n${usageChunk}${done}`,
    `data: {"choices":[],"prompt_filter_results":[]}\n\n${done}`,
  ],
  [
    'data on several lines stays data',
    `data: {"choices":[{"delta":{"content":"a"}}],\ndata: "usage":${usage},\ndata: "x":1}\n\n${done}`,
    `data: {"choices":[{"delta":{"content":"a"}}],\ndata: \ndata: "x":1}\n\n${done}`,
  ],
  [
    'an event name stays with its data',
    `event: chunk\ndata: {"choices":[{"delta":{"content":"a"}}],"usage":${usage}}\n\n${done}`,
    `event: chunk\ndata: {"choices":[{"delta":{"content":"a"}}]}\n\n${done}`,
  ],
]

/** Streams without anything to hide. */
const untouched: [string, string][] = [
  ['comments', `: OPENROUTER PROCESSING\n\n${text('a')}${done}`],
  ['CRLF', 'data: {"choices":[{"delta":{"content":"a"}}]}\r\n\r\ndata: [DONE]\r\n\r\n'],
  ['no space after the colon', 'data:{"choices":[]}\n\ndata:[DONE]\n\n'],
  ['data that is not JSON', `data: hello\n\ndata: {"a":\n\n${done}`],
  ['JSON that is not an object', `data: [1,2]\n\ndata: "x"\n\ndata: null\n\n${done}`],
  [
    'unknown members, unusual numbers and another order',
    'data: {"z":1.0,"a":1e3,"choices":null,"é":"\\u00e9"}\n\n',
  ],
  ['an unfinished last event', `${text('a')}data: {"choices":[`],
  ['usage inside a message', text('{\\"usage\\":1}')],
]

describe('tap of chat completions', () => {
  test.each(rows)('a client that requested usage gets every byte: %s', (_, stream) => {
    for (const lengths of [undefined, [1], [7, 3]]) {
      const tapped = tapStream(stream, true, lengths)
      expect(tapped.text).toBe(stream)
      expect(tapped.reading.usage).toEqual(counted)
    }
  })

  test.each(rows)(
    'a client that did not request usage sees none, and nothing else changes: %s',
    (_, stream, hidden) => {
      for (const lengths of [undefined, [1], [7, 3]]) {
        const tapped = tapStream(stream, false, lengths)
        expect(tapped.text).toBe(hidden)
        expect(tapped.text).not.toContain('prompt_tokens')
        expect(tapped.reading.usage).toEqual(counted)
      }
    },
  )

  test.each(untouched)('passes unchanged, with usage requested or not: %s', (_, stream) => {
    for (const wantsUsage of [true, false]) expect(tapStream(stream, wantsUsage).text).toBe(stream)
  })

  test('only [DONE] ends a stream', () => {
    const { verdicts } = tapStream(text('[DONE]') + usageChunk + done, true)
    expect(verdicts.map((each) => each.isTerminator)).toEqual([false, false, true])
  })

  test('a later report replaces an earlier one, and a broken one does not', () => {
    const more = usageChunk
      .replace('"completion_tokens":2', '"completion_tokens":5')
      .replace('"total_tokens":11', '"total_tokens":14')
    const broken = usageChunk.replace('"completion_tokens":2', '"completion_tokens":-5')
    expect(tapStream(usageChunk + more + broken, true).reading.usage).toEqual({
      ...counted,
      output: 5,
    })
    expect(tapStream(broken, true).reading.usage).toBeUndefined()
  })

  test('Groq’s own field is read', () => {
    const stream = `data: {"choices":[{"delta":{}}],"x_groq":{"id":"r","usage":${usage}}}\n\n${done}`
    expect(tapStream(stream, true).reading.usage).toEqual(counted)
  })

  test('only generated output counts as content', () => {
    const chunks: [string, boolean][] = [
      ['{"role":"assistant","content":""}', false],
      ['{"role":"assistant","content":null}', false],
      ['{}', false],
      ['{"content":"a"}', true],
      ['{"reasoning_content":"a"}', true],
      ['{"reasoning":"a"}', true],
      ['{"refusal":"no"}', true],
      ['{"tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]}', true],
      ['{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}', true],
      ['{"tool_calls":[{"index":0}]}', false],
      ['{"tool_calls":[{"index":0,"custom":{"input":"a"}}]}', true],
      ['{"function_call":{"arguments":"{"}}', true],
      ['{"content":[{"type":"text","text":"a"}]}', true],
      ['{"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]}]}', true],
      ['{"content":[]}', false],
      ['null', false],
      ['[]', false],
    ]
    const stream = chunks.map(([delta]) => `data: {"choices":[{"delta":${delta}}]}\n\n`).join('')
    expect(tapStream(stream, true).verdicts.map((each) => each.isContent)).toEqual(
      chunks.map(([, isContent]) => isContent),
    )
  })

  test('the delivered content is measured for an upstream without a usage report', () => {
    const silent = tapStream(text('hello world ').repeat(50) + done, true)
    expect(silent.reading.usage).toBeUndefined()
    expect(silent.reading.deliveredTokens()).toBeGreaterThan(50)
    expect(tapStream(done, true).reading.deliveredTokens()).toBe(0)
  })

  test('a failure inside the stream is reported with the upstream’s text', () => {
    const stream = `${text('a')}data: {"error":{"message":"overloaded","type":"server_error","code":529}}\n\n`
    const { verdicts } = tapStream(stream, false)
    expect(verdicts[0]?.fault).toBeUndefined()
    expect(verdicts[1]?.fault).toMatchObject({
      code: 'upstream_error',
      message: 'overloaded',
      details: { upstream: { type: 'server_error', code: '529' } },
    })
  })

  test('a null error is not an error', () => {
    const { verdicts } = tapStream('data: {"choices":[],"error":null}\n\n', true)
    expect(verdicts[0]?.fault).toBeUndefined()
  })
})
