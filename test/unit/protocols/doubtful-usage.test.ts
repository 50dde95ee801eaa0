import { describe, expect, test } from 'bun:test'
import { noUsage, type TokenUsage } from '../../../src/core/money/usage.ts'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { judgeUsage } from '../../../src/gateway/charge/judge-usage.ts'
import { decodeUsage as decodeChat } from '../../../src/protocols/chat-completions/values/usage.ts'
import { decodeUsage as generateContent } from '../../../src/protocols/generate-content/values/usage.ts'
import {
  decodeUsage as messages,
  UsageReports,
} from '../../../src/protocols/messages/values/usage.ts'
import { decodeUsage as responses } from '../../../src/protocols/responses/values/usage.ts'
import { repliesAt } from '../../support/exchanges/recorded-replies.ts'

const unknownServer = repliesAt('https://nobody-knows.test').usage
const chat = (report: unknown) => decodeChat(report, unknownServer)

const decoders: Readonly<Record<ProtocolName, (value: unknown) => TokenUsage | undefined>> = {
  'chat-completions': chat,
  responses,
  messages: (value) => messages(value),
  'generate-content': generateContent,
}

type Row = [name: string, report: object, expected: Partial<TokenUsage>]
const isDoubtful = true

const rows: Readonly<Record<ProtocolName, readonly Row[]>> = {
  'chat-completions': [
    [
      'cached tokens beside the prompt, and a total without them',
      {
        prompt_tokens: 7,
        completion_tokens: 10,
        total_tokens: 17,
        prompt_tokens_details: { cached_tokens: 163 },
      },
      { input: 7, cacheRead: 163, output: 10, isDoubtful },
    ],
    [
      'cached tokens beside the prompt, and a total with them',
      {
        prompt_tokens: 7,
        completion_tokens: 10,
        total_tokens: 180,
        prompt_tokens_details: { cached_tokens: 163 },
      },
      { input: 7, cacheRead: 163, output: 10, isDoubtful },
    ],
    [
      'cached tokens that could be inside the prompt, and a total that puts them beside it',
      {
        prompt_tokens: 100,
        completion_tokens: 10,
        total_tokens: 160,
        prompt_tokens_details: { cached_tokens: 50 },
      },
      { input: 100, cacheRead: 50, output: 10 },
    ],
    [
      'cached tokens and reasoning beside the totals',
      {
        prompt_tokens: 7,
        completion_tokens: 10,
        total_tokens: 200,
        prompt_tokens_details: { cached_tokens: 163 },
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      { input: 7, cacheRead: 163, output: 30, reasoning: 20, isDoubtful },
    ],
    [
      'reasoning that only the total contains',
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 },
      { input: 10, output: 105, isDoubtful },
    ],
    [
      'reasoning beside the totals, in the outermost object',
      { prompt_tokens: 33, completion_tokens: 100, total_tokens: 133, reasoning_tokens: 900 },
      { input: 33, output: 1_000, reasoning: 900, isDoubtful },
    ],
    [
      'a total that is too small, and one that is zero',
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 5 },
      { input: 10, output: 5, isDoubtful },
    ],
    [
      'a total of zero',
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 0 },
      { input: 10, output: 5 },
    ],
    [
      'audio and images above the totals, without a total',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: { text_tokens: 10, image_tokens: 258 },
        completion_tokens_details: { text_tokens: 5, audio_tokens: 40 },
      },
      { input: 268, output: 45, isDoubtful },
    ],
    [
      'audio and images above the totals, with a total that confirms the totals',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { image_tokens: 258 },
      },
      { input: 10, output: 5, isDoubtful },
    ],
    [
      'audio above the totals, with a total that confirms the audio',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 273,
        prompt_tokens_details: { text_tokens: 10, audio_tokens: 258 },
      },
      { input: 268, output: 5, isDoubtful },
    ],
    [
      'cache hits and misses above the prompt',
      {
        prompt_tokens: 20,
        completion_tokens: 5,
        prompt_cache_hit_tokens: 15,
        prompt_cache_miss_tokens: 20,
      },
      { input: 20, cacheRead: 15, output: 5, isDoubtful },
    ],
  ],
  responses: [
    [
      'cached tokens beside the input',
      {
        input_tokens: 7,
        output_tokens: 10,
        total_tokens: 17,
        input_tokens_details: { cached_tokens: 163 },
      },
      { input: 7, cacheRead: 163, output: 10, isDoubtful },
    ],
    [
      'reasoning that only the total counts beside the output',
      {
        input_tokens: 10,
        output_tokens: 5,
        total_tokens: 35,
        output_tokens_details: { reasoning_tokens: 20 },
      },
      { input: 10, output: 25, reasoning: 20, isDoubtful },
    ],
    [
      'more reasoning than output, without a total',
      { input_tokens: 10, output_tokens: 5, output_tokens_details: { reasoning_tokens: 20 } },
      { input: 10, output: 25, reasoning: 20, isDoubtful },
    ],
    [
      'output that only the total contains',
      { input_tokens: 10, output_tokens: 5, total_tokens: 40 },
      { input: 10, output: 30, isDoubtful },
    ],
  ],
  messages: [
    [
      'more reasoning than output',
      { input_tokens: 10, output_tokens: 5, output_tokens_details: { thinking_tokens: 20 } },
      { input: 10, output: 25, reasoning: 20, isDoubtful },
    ],
    [
      'a split of the cache writes that is larger than their sum',
      {
        input_tokens: 10,
        output_tokens: 5,
        cache_creation_input_tokens: 20,
        cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 },
      },
      { input: 10, cacheWrite5m: 20, cacheWrite1h: 30, output: 5, isDoubtful },
    ],
    [
      'a total of a compatible server',
      { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100, total_tokens: 145 },
      { input: 10, cacheRead: 100, output: 35, isDoubtful },
    ],
  ],
  'generate-content': [
    [
      'reasoning that only the total contains',
      { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 115 },
      { input: 10, output: 105, isDoubtful },
    ],
    [
      'a chunk without the output count',
      { promptTokenCount: 10, totalTokenCount: 115 },
      { input: 10 },
    ],
    [
      'cached tokens beside the prompt',
      { promptTokenCount: 7, candidatesTokenCount: 5, cachedContentTokenCount: 163 },
      { input: 7, cacheRead: 163, output: 5, isDoubtful },
    ],
    [
      'details above the prompt, and a total that confirms the prompt',
      {
        promptTokenCount: 33,
        candidatesTokenCount: 2,
        thoughtsTokenCount: 52,
        totalTokenCount: 87,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 155 }],
      },
      { input: 33, output: 54, reasoning: 52, isDoubtful },
    ],
    [
      'images and audio above the totals',
      {
        promptTokenCount: 10,
        candidatesTokenCount: 5,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 10 },
          { modality: 'IMAGE', tokenCount: 258 },
        ],
        candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 40 }],
      },
      { input: 268, output: 40, isDoubtful },
    ],
    [
      'tokens that tools add to the prompt are not a contradiction',
      {
        promptTokenCount: 10,
        candidatesTokenCount: 5,
        toolUsePromptTokenCount: 100,
        thoughtsTokenCount: 7,
        totalTokenCount: 122,
      },
      { input: 110, output: 12, reasoning: 7 },
    ],
  ],
}

for (const [protocol, decode] of Object.entries(decoders)) {
  describe(`usage of ${protocol} that does not add up`, () => {
    test.each([...rows[protocol as ProtocolName]])('%s', (_name, report, expected) => {
      const { surplus: _surplus, ...usage } = decode(report) ?? noUsage
      expect(usage).toEqual({ ...noUsage, ...expected })
    })
  })
}

test('the end of a messages stream without a split does not contradict the split at its beginning', () => {
  const reports = new UsageReports({})
  reports.add({
    input_tokens: 10,
    output_tokens: 1,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 30 },
  })
  expect(reports.add({ output_tokens: 9, cache_creation_input_tokens: 20 })).toEqual({
    ...noUsage,
    input: 10,
    cacheWrite1h: 20,
    output: 9,
  })
})

test('the end of a messages stream with its own split is read like a whole report', () => {
  const reports = new UsageReports({})
  reports.add({ input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0 })
  const end = {
    output_tokens: 9,
    cache_creation_input_tokens: 20,
    cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 },
  }
  const expected = { input: 10, cacheWrite5m: 20, cacheWrite1h: 30, output: 9, isDoubtful }
  const { surplus: _surplus, ...usage } = reports.add(end) ?? noUsage
  expect(usage).toEqual({ ...noUsage, ...expected })
})

test('such a report is charged as the upstream reported it, and the row is flagged', () => {
  const usage = chat({
    prompt_tokens: 7,
    completion_tokens: 10,
    prompt_tokens_details: { cached_tokens: 163 },
  })
  const bounds = { outputTokensMax: 100, contextTokens: 1_000, estimateInput: () => 1 }
  const verdict = judgeUsage({ usage, deliveredTokens: () => 3 }, bounds)
  expect(verdict).toMatchObject({
    source: 'upstream',
    flags: ['inconsistent'],
    usage: { input: 7, cacheRead: 163, output: 10 },
  })
  const narrow = judgeUsage({ usage, deliveredTokens: () => 3 }, { ...bounds, contextTokens: 100 })
  expect(narrow).toMatchObject({ source: 'clamped', flags: ['clamped', 'inconsistent'] })
})
