import { describe, expect, test } from 'bun:test'
import { noUsage, type TokenUsage } from '../../../src/core/money/usage.ts'
import { decodeUsage as chat } from '../../../src/protocols/chat-completions/values/usage.ts'
import { decodeUsage as generateContent } from '../../../src/protocols/generate-content/values/usage.ts'
import { decodeUsage as messages } from '../../../src/protocols/messages/values/usage.ts'
import type { UsageTraits } from '../../../src/protocols/reply-traits.ts'
import { decodeUsage as responses } from '../../../src/protocols/responses/values/usage.ts'

/* The form of a report follows from the protocol and the vendor's traits, never from the size of its numbers alone. */

type Decode = (report: unknown, traits: UsageTraits) => TokenUsage | undefined
type Row = [string, Decode, UsageTraits, object, Partial<TokenUsage>]

const isDoubtful = true
const chatReport = {
  prompt_tokens: 100,
  completion_tokens: 50,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens_details: { reasoning_tokens: 30 },
}
const inside = { input: 60, cacheRead: 40, output: 50, reasoning: 30 }
const both: UsageTraits = { isCacheBeside: true, isReasoningBeside: true }
const beside = { input: 100, cacheRead: 40, output: 80, reasoning: 30 }
const bySum: UsageTraits = { isFormBySum: true }

const responsesReport = {
  input_tokens: 100,
  output_tokens: 50,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens_details: { reasoning_tokens: 30 },
}
const message = {
  input_tokens: 100,
  output_tokens: 50,
  cache_read_input_tokens: 30,
  cache_creation_input_tokens: 10,
  output_tokens_details: { thinking_tokens: 30 },
}
const contents = {
  promptTokenCount: 100,
  candidatesTokenCount: 50,
  cachedContentTokenCount: 40,
  thoughtsTokenCount: 30,
}

const rows: readonly Row[] = [
  ['chat: by the protocol', chat, {}, chatReport, inside],
  ['chat: declared', chat, both, chatReport, beside],
  ['chat: declared, a sum with both', chat, both, { ...chatReport, total_tokens: 220 }, beside],
  ['chat: declared, a sum without both', chat, both, { ...chatReport, total_tokens: 150 }, beside],
  ['chat: declared, a sum with one', chat, both, { ...chatReport, total_tokens: 190 }, beside],
  [
    'chat: declared, a sum that fits nothing',
    chat,
    both,
    { ...chatReport, total_tokens: 219 },
    { ...beside, isDoubtful },
  ],
  [
    'chat: not declared, a sum that counts reasoning twice is output and marked',
    chat,
    {},
    { ...chatReport, total_tokens: 180 },
    { ...inside, output: 80, surplus: 30, isDoubtful },
  ],
  [
    'chat: not declared, a sum with the cached tokens is not a discount',
    chat,
    {},
    { ...chatReport, total_tokens: 190 },
    { ...inside, output: 90, surplus: 40, isDoubtful },
  ],
  [
    'chat: an unknown server, the sum shows that both are beside',
    chat,
    bySum,
    { ...chatReport, total_tokens: 220 },
    beside,
  ],
  ['responses: by the protocol', responses, {}, responsesReport, inside],
  ['responses: declared', responses, both, responsesReport, beside],
  [
    'messages: by the protocol, caches are beside',
    messages,
    {},
    message,
    { input: 100, cacheRead: 30, cacheWrite5m: 10, output: 50, reasoning: 30 },
  ],
  [
    'messages: declared, caches are inside',
    messages,
    { isCacheBeside: false },
    message,
    { input: 60, cacheRead: 30, cacheWrite5m: 10, output: 50, reasoning: 30 },
  ],
  [
    'messages: declared, but more cached than input',
    messages,
    { isCacheBeside: false },
    { ...message, input_tokens: 39 },
    { input: 39, cacheRead: 30, cacheWrite5m: 10, output: 50, reasoning: 30, isDoubtful },
  ],
  [
    'messages: declared, reasoning is beside',
    messages,
    { isReasoningBeside: true },
    message,
    { input: 100, cacheRead: 30, cacheWrite5m: 10, output: 80, reasoning: 30 },
  ],
  [
    'generate-content: by the protocol, reasoning is beside',
    generateContent,
    {},
    { ...contents, totalTokenCount: 180 },
    { input: 60, cacheRead: 40, output: 80, reasoning: 30 },
  ],
  [
    'generate-content: declared, reasoning is inside',
    generateContent,
    { isReasoningBeside: false },
    { ...contents, totalTokenCount: 150 },
    { input: 60, cacheRead: 40, output: 50, reasoning: 30 },
  ],
  [
    'generate-content: declared, but more reasoning than output',
    generateContent,
    { isReasoningBeside: false },
    { ...contents, candidatesTokenCount: 20 },
    { input: 60, cacheRead: 40, output: 50, reasoning: 30, isDoubtful },
  ],
  [
    'generate-content: declared, caches are beside',
    generateContent,
    { isCacheBeside: true },
    { ...contents, totalTokenCount: 220 },
    { input: 100, cacheRead: 40, output: 80, reasoning: 30 },
  ],
]

describe('the form of a usage report', () => {
  test.each([...rows])('%s', (_, decode, traits, report, expected) => {
    expect(decode(report, traits)).toEqual({ ...noUsage, ...expected })
  })

  test.each<[string, Decode]>([
    ['chat-completions', chat],
    ['responses', responses],
    ['messages', messages],
    ['generate-content', generateContent],
  ])('%s: the names of the totals are the vendor’s', (_, decode) => {
    const traits: UsageTraits = { input: 'tokens_in', output: 'tokens_out' }
    const report = { tokens_in: 7, tokens_out: 3, prompt_tokens: 900, output_tokens: 900 }
    expect(decode(report, traits)).toEqual({ ...noUsage, input: 7, output: 3 })
    expect(decode({ tokens_in: 7, tokens_out: 3 }, {})).toBeUndefined()
    expect(decode({ ...report, tokens_in: -7, tokens_out: '3' }, traits)).toBeUndefined()
  })
})
