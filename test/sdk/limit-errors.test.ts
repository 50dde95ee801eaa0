import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { systemRandom } from '../../src/core/id.ts'
import type { NewKey } from '../../src/keys/definition/key.ts'
import { createKey } from '../../src/keys/key-store.ts'
import { write } from '../../src/store/changes/write.ts'
import { eventually } from '../support/eventually.ts'
import { chatBody } from '../support/gateway/ask.ts'
import { testVault } from '../support/gateway/test-database.ts'
import { withGateway } from '../support/gateway/with-gateway.ts'

const gateway = withGateway()
const model = 'gpt-x'
const messages = [{ role: 'user' as const, content: 'Good morning' }]

async function keyWith(settings: Partial<NewKey>): Promise<string> {
  const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
  const key = { accountId: 'acme', name: 'limited', groups: ['default'], ...settings }
  return write(gateway().engine, Date.now(), async (writing) => {
    return (await createKey(writing, tools, key)).value
  })
}

interface Client {
  readonly name: string
  ask(value: string, options: { isStream: boolean; maxRetries?: number }): Promise<unknown>
}

const clients: readonly Client[] = [
  {
    name: 'OpenAI, chat',
    ask: async (apiKey, { isStream, ...options }) =>
      new OpenAI({ apiKey, baseURL: `${gateway().url}/v1` }).chat.completions.create(
        { model, messages, max_tokens: 100, stream: isStream },
        options,
      ),
  },
  {
    name: 'OpenAI, responses',
    ask: async (apiKey, { isStream, ...options }) =>
      new OpenAI({ apiKey, baseURL: `${gateway().url}/v1` }).responses.create(
        { model, input: 'Good morning', max_output_tokens: 100, stream: isStream },
        options,
      ),
  },
  {
    name: 'Anthropic',
    ask: async (apiKey, { isStream, ...options }) =>
      new Anthropic({ apiKey, baseURL: gateway().url }).messages.create(
        { model, messages, max_tokens: 100, stream: isStream },
        options,
      ),
  },
  {
    name: 'Google',
    ask: (apiKey, { isStream }) => {
      const { models } = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway().url } })
      const question = { model, contents: 'Good morning', config: { maxOutputTokens: 100 } }
      return isStream ? models.generateContentStream(question) : models.generateContent(question)
    },
  },
]

/** Begins a request that does not end before `end` is called. */
async function begin(value: string): Promise<{ end: () => Promise<void> }> {
  const { one, ask } = gateway()
  const gate = Promise.withResolvers<void>()
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
  one.script('next', {
    kind: 'events',
    headers: { 'content-type': 'application/json' },
    events: [JSON.stringify({ choices: [], usage })],
    end: 'clean',
    gates: [gate.promise],
  })
  const before = one.requests.length
  const headers = { authorization: `Bearer ${value}` }
  const asked = ask({ headers, body: chatBody({ max_tokens: 1_000 }) })
  await one.whenRequested(before + 1)
  return {
    end: async () => {
      gate.resolve()
      expect((await asked).status).toBe(200)
    },
  }
}

async function refusals(reason: string): Promise<number> {
  const { node, engine } = gateway()
  await node.ledger.shipped()
  const rows = engine.db.selectFrom('usage_row').select('request_id').where('reason', '=', reason)
  return (await rows.execute()).length
}

const limits: readonly [string, Partial<NewKey>, RegExp][] = [
  ['requests', { requestsPerMinute: 1 }, /limited to 1 request per minute\. Try again in \d+ s/],
  ['tokens', { tokensPerMinute: 2 }, /limited to 2 tokens per minute\. Try again in \d+ s/],
  ['concurrent', { concurrentRequests: 1 }, /limited to 1 request at the same time\. Try again/],
]
const limitNames: Readonly<Record<string, string>> = {
  requests: 'key.requests_per_minute',
  tokens: 'key.tokens_per_minute',
  concurrent: 'key.concurrent_requests',
}
const ways = [{ isStream: false }, { isStream: true }] as const
const cells = clients.flatMap((client) =>
  limits.flatMap(([kind, settings, words]) =>
    ways.map((way) => ({ client, kind, settings, words, ...way, name: client.name })),
  ),
)

describe('a rate limit', () => {
  test.each(cells)('$name, $kind, stream $isStream: the error of a rate limit', async (cell) => {
    const value = await keyWith(cell.settings)
    const first = await begin(value)
    const error = await cell.client.ask(value, { isStream: cell.isStream, maxRetries: 0 }).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    await first.end()
    expect(error).toMatchObject({ status: 429 })
    expect((error as Error).message).toMatch(cell.words)
    const known = [OpenAI.RateLimitError, Anthropic.RateLimitError]
    const isKnown = known.some((kind) => error instanceof kind)
    expect(isKnown || (error as Error).name === 'ApiError').toBe(true)
    expect(JSON.stringify(error) + (error as Error).message).toContain(limitNames[cell.kind] ?? '')
  })
})

/** Each waits as the refusal says, and then succeeds. Google's client retries only if its options say so. */
const retrying = clients.filter(({ name }) => name === 'OpenAI, chat' || name === 'Anthropic')
const waits = [
  { reason: 'rate_limit_exceeded', settings: { concurrentRequests: 1 } },
  // The first request holds so much that the second one has to wait for it.
  { reason: 'quota_in_flight', settings: { quotaNano: 12_000_000n } },
]
const recoveries = retrying.flatMap((client) =>
  waits.map((wait) => ({ ...wait, client, name: client.name })),
)

describe('a refusal that a retry can cure', () => {
  test.each(recoveries)('$name, $reason: the client retries', async (cell) => {
    const value = await keyWith(cell.settings)
    const before = await refusals(cell.reason)
    const first = await begin(value)
    const asked = cell.client.ask(value, { isStream: false })
    await eventually('the client is refused', async () => (await refusals(cell.reason)) > before)
    await first.end()
    expect(await asked).toBeObject()
  })
})

const headersOf = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.includes('ratelimit')))

describe('the headers of the limits', () => {
  // Otherwise a part of the limits is back before a slow machine writes the headers.
  let resume = () => {}
  beforeEach(() => {
    resume = gateway().clock.standStill()
  })
  afterEach(() => resume())

  test.each(ways)('OpenAI, stream $isStream', async ({ isStream }) => {
    const apiKey = await keyWith({ requestsPerMinute: 10, tokensPerMinute: 50_000 })
    const { response } = await new OpenAI({
      apiKey,
      baseURL: `${gateway().url}/v1`,
    }).chat.completions
      .create({ model, messages, stream: isStream })
      .withResponse()
    expect(headersOf(response.headers)).toEqual({
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '9',
      'x-ratelimit-reset-requests': '6s',
      'x-ratelimit-limit-tokens': '50000',
      'x-ratelimit-remaining-tokens': expect.stringMatching(/^(?:4\d{4}|50000)$/),
      'x-ratelimit-reset-tokens': expect.stringMatching(/^\d+m?s$/),
    })
  })

  test.each(ways)('Anthropic, stream $isStream', async ({ isStream }) => {
    const apiKey = await keyWith({ requestsPerMinute: 10, tokensPerMinute: 50_000 })
    const { response } = await new Anthropic({ apiKey, baseURL: gateway().url }).messages
      .create({ model, messages, max_tokens: 100, stream: isStream })
      .withResponse()
    expect(headersOf(response.headers)).toEqual({
      'anthropic-ratelimit-requests-limit': '10',
      'anthropic-ratelimit-requests-remaining': '9',
      'anthropic-ratelimit-requests-reset': expect.stringMatching(/^\d{4}-.*Z$/),
      'anthropic-ratelimit-tokens-limit': '50000',
      'anthropic-ratelimit-tokens-remaining': expect.stringMatching(/^(?:4\d{4}|50000)$/),
      'anthropic-ratelimit-tokens-reset': expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })
})
