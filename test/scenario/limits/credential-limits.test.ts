import { afterEach, describe, expect, test } from 'bun:test'
import { putUpstream } from '../../../src/catalog/upstream-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import type { GivenLimitValues } from '../../../src/core/limits/rate-limit.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { credentials } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway({ extend: withRouting })
const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }

/** Sets limits of a credential of the upstream `keys`. */
async function limit(name: string, given: GivenLimitValues, upstream = 'keys'): Promise<void> {
  const { engine, node } = gateway()
  const { requestsPerMinute = null, tokensPerMinute = null, concurrentRequests = null } = given
  await write(engine, Date.now(), async ({ tx, announce }) => {
    await tx
      .updateTable('upstream_credential')
      .set({
        requests_per_minute: requestsPerMinute,
        tokens_per_minute: tokensPerMinute,
        concurrent_requests: concurrentRequests,
      })
      .where('upstream_id', '=', upstream)
      .where('name', '=', name)
      .execute()
    announce('catalog', upstream)
  })
  await node.follower.catchUp()
}

async function setConcurrency(id: string, concurrencyMax: number | null): Promise<void> {
  const { engine, node, two } = gateway()
  const protocol = 'chat-completions'
  const place = { id, vendor: 'openai-compatible', protocol, baseUrl: `${two.url}/v1` }
  const upstream = { ...place, concurrencyMax }
  await write(engine, Date.now(), (writing) => putUpstream(writing, tools, upstream))
  await node.follower.catchUp()
}

afterEach(async () => {
  gateway().clock.passTime(600_000)
  for (const name of ['first', 'second']) await limit(name, {})
  for (const id of ['keys-later', 'capped']) await limit('first', {}, id)
})

const body = (more: JsonObject = {}) => chatBody({ model: 'gpt-keys', ...more })
const usedBy = () => gateway().one.requests.map(({ headers }) => headers['authorization'])
const bearer = (value: string) => `Bearer ${value}`

/** An answer with two tokens that waits for the gate. */
const gated = (gate: Promise<void>) =>
  ({
    kind: 'events',
    headers: { 'content-type': 'application/json' },
    events: [JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })],
    end: 'clean',
    gates: [gate],
  }) as const

describe('a credential with limits', () => {
  test('is used within the limits; then the next credential, then the next upstream', async () => {
    const { one, two, ask, money } = gateway()
    const skips: unknown[] = []
    await limit('first', { requestsPerMinute: 2 })
    await limit('second', { requestsPerMinute: 3 })
    for (let times = 0; times < 8; times += 1) {
      const reply = await ask({ key: 'plain', body: body() })
      expect(reply.status).toBe(200)
      await money.usageRow(reply.requestId)
      const attempts = await money.attempts(reply.requestId)
      skips.push(...attempts.filter(({ reason }) => reason === 'credential_limited'))
      expect(attempts.at(-1)?.reason ?? null).toBeNull()
    }
    const used = usedBy()
    expect(used.filter((value) => value === bearer(credentials.one)).length).toBe(2)
    expect(used.filter((value) => value === bearer(credentials.two)).length).toBe(3)
    expect(two.requests.length).toBe(3)
    expect(one.requests.length).toBe(5)
    expect(skips.length).toBeGreaterThan(0)
    for (const skip of skips) expect(skip).toMatchObject({ upstream_id: 'keys', status: null })
  })

  test('an operator sees in the explanation that it is used up', async () => {
    const { ask, node } = gateway()
    await limit('first', { requestsPerMinute: 1 })
    await limit('second', { requestsPerMinute: 1 })
    for (let times = 0; times < 3; times += 1)
      expect((await ask({ key: 'plain', body: body() })).status).toBe(200)
    const headers = { 'x-gateway-explain': node.operatorToken }
    const explained = await ask({ key: 'plain', body: body(), headers })
    expect(explained.text).toContain('"credential_limited"')
    const customer = await ask({
      key: 'plain',
      body: body(),
      headers: { 'x-gateway-explain': 'true' },
    })
    expect(customer.text).not.toContain('credential')
  })

  test('tokens are estimated, then corrected by the true usage', async () => {
    const { one, ask } = gateway()
    const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 }
    one.script({}, { kind: 'lie-usage', usage })
    await limit('first', { tokensPerMinute: 1_100 }, 'capped')
    const request = () =>
      ask({ key: 'plain', body: chatBody({ model: 'gpt-capped', max_tokens: 1_000 }) })
    // Each is estimated at about 1,000 tokens: without the correction the second one would be refused.
    for (let times = 0; times < 5; times += 1) expect((await request()).status).toBe(200)
    const large = { prompt_tokens: 4_000, completion_tokens: 4_000, total_tokens: 8_000 }
    one.script({}, { kind: 'lie-usage', usage: large })
    expect((await request()).status).toBe(200)
    const refused = await request()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60)
  })

  test('tokens that an ended attempt did not need are available at once, also after a refusal', async () => {
    const { one, two, ask } = gateway()
    const tight = { tokensPerMinute: 1_100 }
    for (const name of ['first', 'second']) await limit(name, tight)
    await limit('first', tight, 'keys-later')
    const gate = Promise.withResolvers<void>()
    one.script({}, gated(gate.promise))
    two.script({}, gated(gate.promise))
    const request = () => ask({ key: 'plain', body: body({ max_tokens: 1_000 }) })
    const running = [request(), request(), request()]
    await Promise.all([one.whenRequested(2), two.whenRequested(1)])
    expect((await request()).status).toBe(429)
    gate.resolve()
    for (const reply of await Promise.all(running)) expect(reply.status).toBe(200)
    expect((await request()).status).toBe(200)
  })

  test('a retry counts as well, since the provider counts it', async () => {
    const { one, two, ask } = gateway()
    one.script({}, { kind: 'status', status: 500 })
    await limit('first', { requestsPerMinute: 2 }, 'keys-later')
    for (let times = 0; times < 2; times += 1)
      expect((await ask({ key: 'plain', body: body() })).status).toBe(200)
    expect(two.requests.length).toBe(2)
    const failed = await ask({ key: 'plain', body: body() })
    expect(failed.status).toBe(502)
    expect(two.requests.length).toBe(2)
  })

  test('the wait is that of the first credential with room, also of one that was not asked again', async () => {
    const { one, two, ask, clock } = gateway()
    const goOn = clock.standStill()
    await limit('first', { requestsPerMinute: 6 })
    await limit('second', { requestsPerMinute: 1 })
    await limit('first', { requestsPerMinute: 1 }, 'keys-later')
    for (let times = 0; times < 8; times += 1)
      expect((await ask({ key: 'plain', body: body() })).status).toBe(200)
    expect([one.requests.length, two.requests.length]).toEqual([7, 1])
    for (let times = 0; times < 2; times += 1) {
      const refused = await ask({ key: 'plain', body: body() })
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
      expect(refused.text).toContain('Try again in 10 s.')
    }
    clock.passTime(10_000)
    expect((await ask({ key: 'plain', body: body() })).status).toBe(200)
    goOn()
    expect([one.requests.length, two.requests.length]).toEqual([8, 1])
  })

  test.each([
    ['was full when the request came', 0],
    ['is full, and the refusal of the credentials is already known', 1],
  ])('503, not the wait of a credential, when another upstream %s', async (_, before) => {
    const { two, ask, money } = gateway()
    for (const name of ['first', 'second']) await limit(name, { requestsPerMinute: 1 })
    await setConcurrency('keys-later', 1)
    for (let times = 0; times < 2; times += 1)
      expect((await ask({ key: 'plain', body: body() })).status).toBe(200)
    const gate = Promise.withResolvers<void>()
    two.script('next', gated(gate.promise))
    const running = ask({ key: 'plain', body: body() })
    await two.whenRequested(1)
    for (let times = 0; times < before; times += 1) await ask({ key: 'plain', body: body() })
    const refused = await ask({ key: 'plain', body: body() })
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.text).toContain('have reached a limit. Try again.')
    const reason = 'no_upstream_available'
    expect(await money.usageRow(refused.requestId)).toMatchObject({ cost_nano: 0n, reason })
    gate.resolve()
    expect((await running).status).toBe(200)
    expect((await ask({ key: 'plain', body: body() })).status).toBe(200)
    await setConcurrency('keys-later', null)
  })

  const clients = [
    ['chat-completions', '/v1/chat/completions', chatBody({ model: 'gpt-capped' })],
    ['responses', '/v1/responses', { model: 'gpt-capped', input: 'Good morning' }],
    [
      'messages',
      '/v1/messages',
      { model: 'gpt-capped', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 9 },
    ],
    [
      'generate-content',
      '/v1beta/models/gpt-capped:generateContent',
      { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    ],
  ] as const
  test.each(clients)(
    'in %s: 429 with the exact wait when all are used up, and nothing is charged',
    async (_, path, request) => {
      const { one, ask, money, clock } = gateway()
      await limit('first', { requestsPerMinute: 2 }, 'capped')
      for (let times = 0; times < 2; times += 1)
        expect((await ask({ key: 'plain', path, body: request })).status).toBe(200)
      const asked = one.requests.length
      const refused = await ask({ key: 'plain', path, body: request })
      expect(refused.status).toBe(429)
      const retryAfter = Number(refused.headers.get('retry-after'))
      expect(retryAfter > 0 && retryAfter <= 30).toBe(true)
      expect(refused.text).toContain('reached their rate limits')
      expect(refused.text).not.toContain('capped"')
      expect(refused.text).not.toContain('credential')
      expect(one.requests.length).toBe(asked)
      expect(await money.usageRow(refused.requestId)).toMatchObject({
        cost_nano: 0n,
        reason: 'upstream_rejected',
        status: 429,
      })
      clock.passTime(30_000)
      expect((await ask({ key: 'plain', path, body: request })).status).toBe(200)
      expect((await ask({ key: 'plain', path, body: request })).status).toBe(429)
    },
  )

  test.each([
    ['its credential is used up', 429, { requestsPerMinute: 1 }],
    ['its upstream is full', 503, {}],
  ] as const)(
    'a request that is sent to no upstream, because %s, takes nothing from other limits',
    async (_, status, given) => {
      const { one, ask, engine, clock } = gateway()
      const goOn = clock.standStill()
      const { value } = await write(engine, Date.now(), (writing) =>
        createKey(writing, tools, {
          accountId: 'acme',
          name: 'limited',
          groups: ['default'],
          requestsPerMinute: 10,
          tokensPerMinute: 10_000,
        }),
      )
      const headers = { authorization: `Bearer ${value}` }
      await limit('first', given, 'capped')
      const gate = Promise.withResolvers<void>()
      one.script({}, gated(gate.promise))
      const capped = () => ask({ headers, body: chatBody({ model: 'gpt-capped' }) })
      const first = capped()
      await one.whenRequested(1)
      if (status === 429) {
        gate.resolve()
        await first
      }
      for (let times = 0; times < 12; times += 1) expect((await capped()).status).toBe(status)
      gate.resolve()
      expect((await first).status).toBe(200)
      const last = await ask({ headers, body: body() })
      goOn()
      expect(last.status).toBe(200)
      expect(last.headers.get('x-ratelimit-remaining-requests')).toBe('8')
      expect(last.headers.get('x-ratelimit-remaining-tokens')).toBe('9996')
    },
  )

  test('a request that cannot be translated for its upstream takes nothing, from no limit', async () => {
    const { one, ask, engine, clock } = gateway()
    const goOn = clock.standStill()
    const { value } = await write(engine, Date.now(), (writing) =>
      createKey(writing, tools, {
        accountId: 'acme',
        name: 'limited',
        groups: ['default'],
        requestsPerMinute: 10,
        tokensPerMinute: 10_000,
      }),
    )
    const headers = { authorization: `Bearer ${value}` }
    await limit('first', { requestsPerMinute: 2, tokensPerMinute: 5_000 }, 'capped')
    one.script({}, { kind: 'lie-usage', usage: { prompt_tokens: 1, completion_tokens: 1 } })
    const messages = [{ role: 'user', content: 'Good morning' }]
    const usual = { model: 'gpt-capped', max_tokens: 100, messages }
    const send = (more = {}) => ask({ headers, path: '/v1/messages', body: { ...usual, ...more } })
    const tool = { name: 'look', input_schema: { type: 'object' } }
    const refused = { tools: [tool], tool_choice: { type: 'tool', name: 'another' } }
    for (let times = 0; times < 12; times += 1) {
      const stream = times % 2 === 0
      expect((await send({ ...refused, stream })).status).toBe(400)
    }
    expect(one.requests.length).toBe(0)
    const first = await send()
    expect([first.status, (await send()).status]).toEqual([200, 200])
    expect((await send()).status).toBe(429)
    goOn()
    expect(first.headers.get('anthropic-ratelimit-requests-remaining')).toBe('9')
    expect(first.headers.get('anthropic-ratelimit-tokens-remaining')).toBe('9998')
  })

  test('a raised limit applies at once, whatever was refused before', async () => {
    const { ask } = gateway()
    await limit('first', { requestsPerMinute: 1 }, 'capped')
    const request = chatBody({ model: 'gpt-capped' })
    expect((await ask({ key: 'plain', body: request })).status).toBe(200)
    expect((await ask({ key: 'plain', body: request })).status).toBe(429)
    await limit('first', {}, 'capped')
    expect((await ask({ key: 'plain', body: request })).status).toBe(200)
  })

  test('its places are free when the attempt has ended, also if the client has disconnected', async () => {
    const { one, ask } = gateway()
    await limit('first', { concurrentRequests: 1 })
    await limit('second', { concurrentRequests: 1 })
    const gate = Promise.withResolvers<void>()
    one.script({}, gated(gate.promise))
    const running = [ask({ key: 'plain', body: body() }), ask({ key: 'plain', body: body() })]
    await one.whenRequested(2)
    expect(new Set(usedBy()).size).toBe(2)
    expect((await ask({ key: 'plain', body: body() })).status).toBe(200)
    expect(one.requests.length).toBe(2)
    gate.resolve()
    for (const reply of await Promise.all(running)) expect(reply.status).toBe(200)
    one.reset()
    expect((await ask({ key: 'plain', body: body() })).status).toBe(200)
    expect(one.requests.length).toBe(1)
  })
})
