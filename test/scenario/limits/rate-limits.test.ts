import { describe, expect, test } from 'bun:test'
import { systemRandom } from '../../../src/core/id.ts'
import { complete } from '../../../src/fields/definition.ts'
import { keyDefinition, type NewKey } from '../../../src/keys/definition/key.ts'
import { createKey, updateKey } from '../../../src/keys/key-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { expectConsistentRefusal } from '../../support/gateway/expect-consistent-refusal.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()
const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
const usage = { prompt_tokens: 40, completion_tokens: 60, total_tokens: 100 }

type Limits = Pick<NewKey, 'requestsPerMinute' | 'tokensPerMinute' | 'concurrentRequests'>

/** A new key for each test, so that tests do not share limits. */
async function keyWith(limits: Limits & Partial<NewKey>): Promise<{ id: string; ask: Ask }> {
  const { engine, ask } = gateway()
  const { id, value } = await write(engine, Date.now(), (writing) =>
    createKey(writing, tools, {
      accountId: 'acme',
      name: 'limited',
      groups: ['default'],
      ...limits,
    }),
  )
  const headers = { authorization: `Bearer ${value}` }
  return { id, ask: (body, path) => ask({ headers, body, ...(path ? { path } : {}) }) }
}
type Ask = (body: JsonObject, path?: string) => ReturnType<ReturnType<typeof gateway>['ask']>

const contents = [{ role: 'user', parts: [{ text: 'Good morning' }] }]
const message = { role: 'user', content: 'Good morning' }
const clients = [
  {
    protocol: 'chat-completions',
    path: '/v1/chat/completions',
    body: chatBody(),
    limitHeader: 'x-ratelimit-limit-requests',
    remainingHeader: 'x-ratelimit-remaining-requests',
    resetHeader: ['x-ratelimit-reset-requests', /^(?:1m0s|60s|5\ds)$/],
    refusal: {
      error: { type: 'requests', code: 'rate_limit_exceeded', limit: 'key.requests_per_minute' },
    },
  },
  {
    protocol: 'responses',
    path: '/v1/responses',
    body: { model: 'gpt-x', input: 'Good morning', max_output_tokens: 100 },
    limitHeader: 'x-ratelimit-limit-requests',
    remainingHeader: 'x-ratelimit-remaining-requests',
    resetHeader: ['x-ratelimit-reset-requests', /^(?:1m0s|60s|5\ds)$/],
    refusal: {
      error: { type: 'requests', code: 'rate_limit_exceeded', limit: 'key.requests_per_minute' },
    },
  },
  {
    protocol: 'messages',
    path: '/v1/messages',
    body: { model: 'gpt-x', messages: [message], max_tokens: 100 },
    limitHeader: 'anthropic-ratelimit-requests-limit',
    remainingHeader: 'anthropic-ratelimit-requests-remaining',
    resetHeader: ['anthropic-ratelimit-requests-reset', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
    refusal: {
      type: 'error',
      error: {
        type: 'rate_limit_error',
        details: { error_code: 'rate_limit_exceeded', limit: 'key.requests_per_minute' },
      },
    },
  },
  {
    protocol: 'generate-content',
    path: '/v1beta/models/gpt-x:generateContent',
    body: { contents, generationConfig: { maxOutputTokens: 100 } },
    limitHeader: undefined,
    remainingHeader: undefined,
    resetHeader: undefined,
    refusal: {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        details: expect.arrayContaining([
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [{ quotaId: 'key.requests_per_minute', quotaValue: '2' }],
          },
          {
            '@type': 'type.googleapis.com/google.rpc.RetryInfo',
            retryDelay: expect.stringMatching(/^(?:30|29)s$/),
          },
        ]),
      },
    },
  },
] as const

describe('requests per minute', () => {
  test.each(clients)('in $protocol: headers, and a refusal in its own format', async (client) => {
    const { one, money, clock } = gateway()
    const { ask } = await keyWith({ requestsPerMinute: 2 })
    const first = await ask(client.body, client.path)
    expect(first.status).toBe(200)
    const second = await ask(client.body, client.path)
    expect(second.status).toBe(200)
    if (client.limitHeader !== undefined) {
      expect(first.headers.get(client.limitHeader)).toBe('2')
      expect(first.headers.get(client.remainingHeader)).toBe('1')
      expect(second.headers.get(client.remainingHeader)).toBe('0')
      const [name, pattern] = client.resetHeader
      expect(second.headers.get(name)).toMatch(pattern)
    } else {
      expect([...first.headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([])
    }
    const asked = one.requests.length
    const askedMs = clock.nowMs()
    const refused = await ask(client.body, client.path)
    expectConsistentRefusal(refused, askedMs)
    expect(refused.json).toMatchObject(client.refusal)
    const retryAfter = Number(refused.headers.get('retry-after'))
    expect(retryAfter > 0 && retryAfter <= 30).toBe(true)
    expect(refused.headers.get('x-should-retry')).not.toBe('false')
    expect(refused.text).toContain('2 requests per minute')
    expect(one.requests.length).toBe(asked)
    const row = await money.usageRow(refused.requestId)
    expect(row).toMatchObject({ reason: 'rate_limit_exceeded', cost_nano: 0n, status: 429 })
    clock.passTime(30_000)
    expect((await ask(client.body, client.path)).status).toBe(200)
    expect((await ask(client.body, client.path)).status).toBe(429)
  })

  test('a stream has the headers as well', async () => {
    const { ask } = await keyWith({ requestsPerMinute: 10 })
    const reply = await ask(chatBody({ stream: true }))
    expect(reply.status).toBe(200)
    expect(reply.headers.get('x-ratelimit-remaining-requests')).toBe('9')
  })

  test.each([
    { upstream: 400, status: 400, remaining: '9' },
    { upstream: 500, status: 502, remaining: '9' },
    // The limits of the key are not those that the upstream refused.
    { upstream: 429, status: 429, remaining: null },
  ])('a failed request has them if it counted: upstream $upstream', async (row) => {
    const { one, two } = gateway()
    const { ask } = await keyWith({ requestsPerMinute: 10 })
    for (const each of [one, two]) each.script('next', { kind: 'status', status: row.upstream })
    const reply = await ask(chatBody())
    expect(reply.status).toBe(row.status)
    expect(reply.headers.get('x-ratelimit-remaining-requests')).toBe(row.remaining)
  })

  test('counting tokens, listing models and an explanation are not counted', async () => {
    const { engine } = gateway()
    const { ask, id } = await keyWith({ requestsPerMinute: 1 })
    expect((await ask(chatBody())).status).toBe(200)
    const count = { model: 'gpt-x', messages: [message] }
    for (let times = 0; times < 3; times += 1)
      expect((await ask(count, '/v1/messages/count_tokens')).status).toBe(200)
    const row = await engine.db
      .selectFrom('api_key')
      .select('requests_per_minute')
      .where('id', '=', id)
      .executeTakeFirst()
    expect(row?.requests_per_minute).toBe(1)
  })

  test('a request that is refused for lack of money takes nothing from the limit', async () => {
    const { ask } = await keyWith({ requestsPerMinute: 1, quotaNano: 1_000n })
    for (let times = 0; times < 5; times += 1) {
      const { status, json } = await ask(chatBody())
      expect(status).toBe(403)
      expect(json).toMatchObject({ error: { code: 'key_quota_exhausted' } })
    }
  })

  test('a retry of the gateway itself is not a second request', async () => {
    const { one, two } = gateway()
    const { ask } = await keyWith({ requestsPerMinute: 10 })
    one.script('next', { kind: 'status', status: 500 })
    const reply = await ask(chatBody())
    expect(reply.status).toBe(200)
    expect(one.requests.length + two.requests.length).toBeGreaterThan(1)
    expect(reply.headers.get('x-ratelimit-remaining-requests')).toBe('9')
  })

  test('a changed limit applies at once, and without a limit everything is admitted', async () => {
    const { engine } = gateway()
    const { ask, id } = await keyWith({ requestsPerMinute: 1 })
    expect((await ask(chatBody())).status).toBe(200)
    expect((await ask(chatBody())).status).toBe(429)
    const settings = complete(keyDefinition, { accountId: 'acme', name: id })
    await write(engine, Date.now(), (writing) => updateKey(writing, id, settings))
    await eventually('the limit is gone', async () => (await ask(chatBody())).status === 200)
  })

  test('of 200 requests at once exactly as many are admitted as the limit allows', async () => {
    const { one } = gateway()
    one.script({}, { kind: 'lie-usage', usage })
    const { ask } = await keyWith({ requestsPerMinute: 20 })
    const startedMs = performance.now()
    const replies = await Promise.all(Array.from({ length: 200 }, () => ask(chatBody())))
    // On a busy machine this takes seconds, and one more request is admitted every three.
    const more = Math.floor((performance.now() - startedMs) / 3_000)
    const admitted = replies.filter(({ status }) => status === 200).length
    expect(admitted).toBeGreaterThanOrEqual(20)
    expect(admitted).toBeLessThanOrEqual(20 + more)
    expect(replies.filter(({ status }) => status === 429).length).toBe(200 - admitted)
  })
})

describe('tokens per minute', () => {
  test('the true usage counts, and the refusal names tokens', async () => {
    const { one, clock } = gateway()
    one.script(
      {},
      {
        kind: 'lie-usage',
        usage: { prompt_tokens: 400, completion_tokens: 600, total_tokens: 1_000 },
      },
    )
    const { ask } = await keyWith({ tokensPerMinute: 1_000 })
    expect((await ask(chatBody())).status).toBe(200)
    const askedMs = clock.nowMs()
    const refused = await ask(chatBody())
    expectConsistentRefusal(refused, askedMs)
    expect(refused.json).toMatchObject({
      error: { type: 'tokens', limit: 'key.tokens_per_minute' },
    })
    expect(refused.headers.get('x-ratelimit-limit-tokens')).toBe('1000')
    // A few tokens come back every second.
    expect(Number(refused.headers.get('x-ratelimit-remaining-tokens'))).toBeLessThan(500)
    clock.passTime(60_000)
    expect((await ask(chatBody())).status).toBe(200)
  })

  test('an estimate that was too large is given back', async () => {
    const { one } = gateway()
    one.script(
      {},
      { kind: 'lie-usage', usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 } },
    )
    const { ask } = await keyWith({ tokensPerMinute: 1_500 })
    const body = chatBody({ max_tokens: 1_000 })
    for (let times = 0; times < 20; times += 1) expect((await ask(body)).status).toBe(200)
    const { headers } = await ask(body)
    const remaining = Number(headers.get('x-ratelimit-remaining-tokens'))
    expect(remaining).toBeGreaterThan(1_500 - 21 * 10 - 1)
  })
})

describe('concurrent requests', () => {
  test('one more than allowed is refused until one has ended; a client that disconnects frees its place', async () => {
    const { one, clock } = gateway()
    const gate = Promise.withResolvers<void>()
    one.script(
      {},
      {
        kind: 'events',
        headers: { 'content-type': 'application/json' },
        events: [JSON.stringify({ choices: [], usage })],
        end: 'clean',
        gates: [gate.promise],
      },
    )
    // All of the requests are available again long before the client may come back.
    const { ask } = await keyWith({ concurrentRequests: 2, requestsPerMinute: 6_000 })
    const running = [ask(chatBody()), ask(chatBody())]
    await one.whenRequested(2)
    const askedMs = clock.nowMs()
    const refused = await ask(chatBody())
    expect(refused.status).toBe(429)
    expect(refused.json).toMatchObject({
      error: { code: 'rate_limit_exceeded', limit: 'key.concurrent_requests' },
    })
    expect(refused.headers.get('retry-after')).toBe('1')
    expectConsistentRefusal(refused, askedMs)
    expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('6000')
    gate.resolve()
    for (const reply of await Promise.all(running)) expect(reply.status).toBe(200)
    expect((await ask(chatBody())).status).toBe(200)
  })

  test('a failed request frees its place', async () => {
    const { one, two } = gateway()
    for (const upstream of [one, two]) upstream.script({}, { kind: 'status', status: 400 })
    const { ask } = await keyWith({ concurrentRequests: 1 })
    for (let times = 0; times < 3; times += 1) expect((await ask(chatBody())).status).toBe(400)
  })
})
