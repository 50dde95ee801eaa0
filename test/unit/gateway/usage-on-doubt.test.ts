import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { promptOf } from '../../../src/core/money/usage.ts'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { judgeUsage, type UsageVerdict } from '../../../src/gateway/charge/judge-usage.ts'
import { ReplyReader } from '../../../src/gateway/reply/reply-reader.ts'
import { protocols } from '../../../src/protocols/index.ts'
import type { ReplyReading } from '../../../src/protocols/protocol.ts'
import { plainReplies, type ReplyTraits } from '../../../src/protocols/reply-traits.ts'
import type { RequestFacts } from '../../../src/protocols/request-facts.ts'
import { vendors } from '../../../src/vendors/index.ts'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { SseFramer } from '../../../src/wire/sse-framer.ts'
import type { ScriptedReply } from '../../support/protocols/test-protocol.ts'
import { testProtocols } from '../../support/protocols/test-protocols.ts'

/*
 * Whatever a vendor reports, a reply is charged the same whole or streamed, unchanged or translated: integers within the
 * limits of the model, never less than the received text where the report has no output, and marked if the report is
 * missing, contradicts itself or is impossible.
 */

interface Service {
  readonly name: string
  readonly vendor: string
  readonly protocol: ProtocolName
  readonly baseUrl: string
  readonly model: string
}

const chat = 'chat-completions'
const compatible = (name: string, host: string, model = 'some-model'): Service => ({
  name,
  vendor: 'openai-compatible',
  protocol: chat,
  baseUrl: `https://${host}/v1`,
  model,
})

const services: readonly Service[] = [
  ...[...vendors.values()].flatMap(({ name, protocols: spoken, baseUrl }) =>
    spoken.map((protocol) => ({
      name: `${name}, ${protocol}`,
      vendor: name,
      protocol,
      baseUrl: baseUrl ?? 'https://nobody-knows.test',
      model: 'some-model',
    })),
  ),
  compatible('DeepSeek', 'api.deepseek.com'),
  compatible('Moonshot', 'api.moonshot.ai'),
  compatible('Groq', 'api.groq.com'),
  compatible('xAI', 'api.x.ai'),
  { ...compatible('xAI, responses', 'api.x.ai'), protocol: 'responses' },
  compatible('Mistral', 'api.mistral.ai'),
  compatible('OpenRouter', 'openrouter.ai'),
  compatible('Perplexity', 'api.perplexity.ai', 'sonar-pro'),
  compatible('Perplexity’s research model', 'api.perplexity.ai', 'sonar-deep-research'),
]

const said: ScriptedReply = {
  pieces: ['Twelve words of text ', 'that a model has written, ', 'in parts.'],
}
const bounds = { outputTokensMax: 1_000, contextTokens: 10_000, estimateInput: () => 7 }
const facts: RequestFacts = {
  model: 'm',
  isStream: true,
  outputTokensMax: undefined,
  answers: 1,
  wantsStreamUsage: true,
  framing: 'sse',
}

/** Puts the report in place of the last one and removes the others. */
function withReport(events: readonly string[], report: unknown): string[] {
  let isLast = true
  return [...events]
    .reverse()
    .map((event) => {
      if (!/"usage(?:Metadata)?":\{/.test(event)) return event
      const put = isLast ? report : undefined
      isLast = false
      return event.replace(/^data: (\{.*\})(\r?)$/m, (_, data: string, end: string) => {
        return `data: ${JSON.stringify(replaced(parseJson(data), put))}${end}`
      })
    })
    .reverse()
}

function replaced(value: unknown, report: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => replaced(each, report))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isReport = (name === 'usage' || name === 'usageMetadata') && isObject(member)
      return [name, isReport ? report : replaced(member, report)]
    }),
  )
}

/** The four ways in which a reply is read. */
function readings({ protocol }: Service, replies: ReplyTraits, report: unknown): ReplyReading[] {
  const { passThrough, translation } = protocols[protocol]
  const { upstream } = testProtocols[protocol]
  const context = { issuer: 'i', replies, mint: (prefix: string) => prefix }
  const whole = JSON.stringify(replaced(upstream.reply(said), report))
  const translated = new ReplyReader()
  for (const event of translation.decodeReply(whole, context)) translated.note(event)

  const framer = new SseFramer(1_000_000)
  const stream = withReport(upstream.events(said), report).join('')
  const tap = passThrough.openTap(facts, replies)
  const decoder = translation.openDecoder(context)
  const reader = new ReplyReader()
  for (const frame of framer.push(new TextEncoder().encode(stream))) {
    tap.read(frame)
    for (const event of decoder.push(frame)) reader.note(event)
  }
  tap.end()
  if (!reader.isOver) for (const event of decoder.end()) reader.note(event)
  return [
    passThrough.readReply(parseJson(whole), replies),
    translated.reading(),
    tap.reading(),
    reader.reading(),
  ]
}

function repliesOf({ vendor, model, baseUrl }: Service): ReplyTraits {
  return vendors.get(vendor)?.traits(model, baseUrl).replies ?? plainReplies
}

const count = fc.oneof(
  { weight: 6, arbitrary: fc.nat(3_000) },
  fc.constantFrom<unknown>(0, -1, 0.5, '7', null, [], {}, 1e15, 1e308, true),
)
const some = (names: readonly string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, count])), { requiredKeys: [] })

const forms: Readonly<Record<ProtocolName, fc.Arbitrary<JsonObject>>> = {
  'chat-completions': fc
    .tuple(
      some(['prompt_tokens', 'completion_tokens', 'total_tokens', 'cached_tokens']),
      some(['prompt_cache_hit_tokens', 'prompt_cache_miss_tokens', 'reasoning_tokens']),
      some(['citation_tokens', 'num_search_queries', 'num_sources_used']),
      some(['cached_tokens', 'cache_write_tokens', 'text_tokens', 'audio_tokens']),
      some(['reasoning_tokens', 'text_tokens', 'audio_tokens']),
    )
    .map(([one, two, three, prompt, completion]) => ({
      ...one,
      ...two,
      ...three,
      prompt_tokens_details: prompt,
      completion_tokens_details: completion,
    })),
  responses: fc
    .tuple(
      some(['input_tokens', 'output_tokens', 'total_tokens']),
      some(['cached_tokens', 'cache_write_tokens']),
      some(['reasoning_tokens']),
    )
    .map(([totals, input, output]) => ({
      ...totals,
      input_tokens_details: input,
      output_tokens_details: output,
    })),
  messages: fc
    .tuple(
      some(['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'total_tokens']),
      some(['cache_creation_input_tokens']),
      some(['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens']),
      some(['thinking_tokens']),
      fc.array(some(['input_tokens', 'output_tokens']), { maxLength: 2 }),
    )
    .map(([totals, writes, split, output, steps]) => ({
      ...totals,
      ...writes,
      cache_creation: split,
      output_tokens_details: output,
      iterations: steps.map((step) => ({ type: 'compaction', ...step })),
    })),
  'generate-content': some([
    'promptTokenCount',
    'candidatesTokenCount',
    'totalTokenCount',
    'cachedContentTokenCount',
    'thoughtsTokenCount',
    'toolUsePromptTokenCount',
  ]),
}

function expectSound({ usage, source, flags }: UsageVerdict, reading: ReplyReading): void {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage
  for (const tokens of [input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning]) {
    expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true)
  }
  expect(reasoning).toBeLessThanOrEqual(output)
  expect(promptOf(usage)).toBeGreaterThan(0)
  expect(promptOf(usage)).toBeLessThanOrEqual(bounds.contextTokens)
  expect(output).toBeGreaterThan(0)
  expect(output).toBeLessThanOrEqual(bounds.outputTokensMax)
  if (reading.usage === undefined) expect(output).toBe(reading.deliveredTokens())
  const reported = reading.usage
  const isImpossible = reported !== undefined && reported.output > bounds.outputTokensMax
  // An estimate would be cut to the hold; an impossible report is charged up to the limits.
  if (isImpossible && promptOf(reported) > 0) expect(source).toBe('clamped')
  if (source !== 'upstream') expect<readonly string[]>(flags).toContain(source)
}

describe('usage on doubt', () => {
  test.each(services)('$name: any report', (service) => {
    const replies = repliesOf(service)
    const fixed: readonly unknown[] = [undefined, null, 7, 'many', [], {}, { total_tokens: 50 }]
    const report = fc.oneof(forms[service.protocol], fc.constantFrom(...fixed))
    fc.assert(
      fc.property(report, (each) => {
        const [first, ...others] = readings(service, replies, each).map((reading) => {
          const verdict = judgeUsage(reading, bounds)
          expectSound(verdict, reading)
          return verdict
        })
        for (const other of others) expect(other).toEqual(first as UsageVerdict)
      }),
      { numRuns: 150 },
    )
  })
})
