import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { noUsage, type TokenUsage } from '../../../src/core/money/usage.ts'
import { decodeUsage } from '../../../src/protocols/chat-completions/values/usage.ts'
import { repliesAt } from '../../support/exchanges/recorded-replies.ts'

/** Everything that is read from an unknown server. */
const unknownServer = repliesAt('https://nobody-knows.test').usage

type Row = [name: string, report: unknown, expected: Partial<TokenUsage>]

const rows: Row[] = [
  ['only the required counts', { prompt_tokens: 3, completion_tokens: 4 }, { input: 3, output: 4 }],
  ['zero tokens', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, {}],
  [
    'cached and reasoning tokens are part of the totals',
    {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 80, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 30 },
    },
    { input: 20, cacheRead: 80, output: 50, reasoning: 30 },
  ],
  [
    'DeepSeek, without details',
    {
      prompt_tokens: 339,
      completion_tokens: 92,
      total_tokens: 431,
      prompt_cache_hit_tokens: 320,
      prompt_cache_miss_tokens: 19,
    },
    { input: 19, cacheRead: 320, output: 92 },
  ],
  [
    'DeepSeek, with details that agree',
    {
      prompt_tokens: 339,
      completion_tokens: 92,
      prompt_tokens_details: { cached_tokens: 320 },
      prompt_cache_hit_tokens: 320,
    },
    { input: 19, cacheRead: 320, output: 92 },
  ],
  [
    'Moonshot, cached tokens beside the totals',
    {
      prompt_tokens: 20,
      completion_tokens: 30,
      total_tokens: 50,
      cached_tokens: 10,
      completion_tokens_details: { reasoning_tokens: 22 },
    },
    { input: 10, cacheRead: 10, output: 30, reasoning: 22 },
  ],
  [
    'xAI, reasoning beside the output, as the total shows',
    {
      prompt_tokens: 165,
      completion_tokens: 2,
      total_tokens: 292,
      prompt_tokens_details: { text_tokens: 165, cached_tokens: 156 },
      completion_tokens_details: { reasoning_tokens: 125 },
    },
    { input: 9, cacheRead: 156, output: 127, reasoning: 125 },
  ],
  [
    'reasoning inside the output, as the total shows',
    {
      prompt_tokens: 165,
      completion_tokens: 127,
      total_tokens: 292,
      completion_tokens_details: { reasoning_tokens: 125 },
    },
    { input: 165, output: 127, reasoning: 125 },
  ],
  [
    'a total that fits no interpretation: the excess is output',
    {
      prompt_tokens: 10,
      completion_tokens: 10,
      total_tokens: 9_999,
      completion_tokens_details: { reasoning_tokens: 5 },
    },
    { input: 10, output: 9_989, reasoning: 5, isDoubtful: true, surplus: 9_979 },
  ],
  [
    'cache writes',
    {
      prompt_tokens: 100,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
    },
    { input: 10, cacheRead: 60, cacheWrite5m: 30, output: 1 },
  ],
  [
    'more tokens read and written than input: they are beside the input, and no bucket is negative',
    {
      prompt_tokens: 10,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 8 },
    },
    { input: 10, cacheRead: 8, cacheWrite5m: 8, output: 1, isDoubtful: true },
  ],
  [
    'Vercel, more reasoning than output, and a total without it',
    {
      prompt_tokens: 9,
      completion_tokens: 2,
      total_tokens: 11,
      completion_tokens_details: { reasoning_tokens: 25 },
    },
    { input: 9, output: 27, reasoning: 25, isDoubtful: true },
  ],
  [
    'invalid details are ignored, the totals count',
    {
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: -4, cache_write_tokens: '3' },
      completion_tokens_details: { reasoning_tokens: 1.5 },
    },
    { input: 10, output: 5 },
  ],
  [
    'details that are null or a list',
    {
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: null,
      completion_tokens_details: [1],
    },
    { input: 10, output: 5 },
  ],
  [
    'Groq adds times',
    {
      queue_time: 0.04,
      prompt_tokens: 210,
      prompt_time: 0.01,
      completion_tokens: 15,
      total_tokens: 225,
    },
    { input: 210, output: 15 },
  ],
]

const broken: unknown[] = [
  undefined,
  null,
  'usage',
  7,
  [],
  {},
  { prompt_tokens: 1 },
  { completion_tokens: 1 },
  { prompt_tokens: -1, completion_tokens: 1 },
  { prompt_tokens: 1, completion_tokens: -1 },
  { prompt_tokens: Number.NaN, completion_tokens: 1 },
  { prompt_tokens: 1, completion_tokens: Number.POSITIVE_INFINITY },
  { prompt_tokens: '1', completion_tokens: '1' },
  { prompt_tokens: 1.5, completion_tokens: 1 },
  { prompt_tokens: 1, completion_tokens: 2 ** 53 },
  { prompt_tokens: null, completion_tokens: null },
  { prompt_tokens: 1n, completion_tokens: 1 },
  { input_tokens: 1, output_tokens: 1 },
]

describe('usage of chat completions', () => {
  test.each(rows)('%s', (_, report, expected) => {
    expect(decodeUsage(report, unknownServer)).toEqual({ ...noUsage, ...expected })
  })

  test.each(broken.map((each, index) => [index, each]))('no report: row %d', (_, report) => {
    expect(decodeUsage(report)).toBeUndefined()
  })

  test('whatever is reported, buckets are disjoint counts that add up to the totals', () => {
    const count = fc.oneof(fc.nat(), fc.constantFrom(-1, 0.5, null, '7', undefined, 2 ** 53 - 1))
    const report = fc.record({
      prompt_tokens: fc.nat(),
      completion_tokens: fc.nat(),
      total_tokens: count,
      cached_tokens: count,
      prompt_cache_hit_tokens: count,
      prompt_tokens_details: fc.record({ cached_tokens: count, cache_write_tokens: count }),
      completion_tokens_details: fc.record({ reasoning_tokens: count }),
    })
    fc.assert(
      fc.property(report, (each) => {
        const usage = decodeUsage(each, unknownServer)
        if (!usage) throw new Error('usage was not reported')
        const { isDoubtful, ...counts } = usage
        for (const tokens of Object.values(counts).filter((each) => typeof each === 'number'))
          expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true)
        const prompt = usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h
        expect(prompt).toBeGreaterThanOrEqual(each.prompt_tokens)
        const isByTheBook = prompt === each.prompt_tokens && usage.output === each.completion_tokens
        if (isByTheBook && typeof each.total_tokens !== 'number') expect(isDoubtful).toBeUndefined()
        expect(usage.output).toBeGreaterThanOrEqual(each.completion_tokens)
        expect(usage.reasoning).toBeLessThanOrEqual(usage.output)
      }),
    )
  })
})
