import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { createUser } from '../../../src/accounts/create-user.ts'
import { putMember } from '../../../src/accounts/member-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import type { NewKey } from '../../../src/keys/definition/key.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { expectConsistentRefusal } from '../../support/gateway/expect-consistent-refusal.ts'
import {
  type GatewayOptions,
  startGateway,
  type TestGateway,
} from '../../support/gateway/start-gateway.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { redisPath, startRedis, type TestRedis } from '../../support/redis/start-redis.ts'

const path = redisPath('rate limits with Redis')
const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
const started: (TestGateway | TestRedis)[] = []
afterEach(async () => {
  for (const each of started.splice(0).reverse()) await each.stop()
})

async function openFixture(options: GatewayOptions & { readonly count?: number } = {}) {
  const redis = await startRedis(path ?? '')
  started.push(redis)
  const { count = 1, ...rest } = options
  const first = await startGateway({ ...rest, limitsUrl: redis.url })
  started.push(first)
  const gateways = [first]
  while (gateways.length < count) {
    const next = await startGateway({ ...rest, limitsUrl: redis.url, beside: first })
    started.push(next)
    gateways.push(next)
  }
  const keyWith = async (limits: Partial<NewKey>) => {
    const { id, value } = await write(first.engine, Date.now(), (writing) =>
      createKey(writing, tools, { accountId: 'acme', name: 'limited', ...limits }),
    )
    const headers = { authorization: `Bearer ${value}` }
    const ask = (body = chatBody(), at = first, more = {}) =>
      at.ask({ headers: { ...headers, ...more }, body })
    return { id, ask }
  }
  return { redis, gateways, first, keyWith }
}

function logged(gateway: TestGateway, event: string): string[] {
  return gateway.logLines.filter((line) => line.includes(event))
}

if (path !== undefined) {
  describe('with a Redis server', () => {
    test('500 requests at three gateways against a limit of 20: never 21', async () => {
      const { gateways, keyWith } = await openFixture({ count: 3, limitsFallback: 'refuse' })
      const { ask } = await keyWith({ requestsPerMinute: 20 })
      const startedMs = performance.now()
      const replies = await Promise.all(
        Array.from({ length: 500 }, (_, index) => ask(chatBody(), gateways[index % 3])),
      )
      const passedMs = performance.now() - startedMs
      const admitted = replies.filter(({ status }) => status === 200).length
      // One more request is admitted every 3 s.
      expect(admitted).toBeGreaterThanOrEqual(20)
      expect(admitted).toBeLessThanOrEqual(20 + Math.floor(passedMs / 3_000))
      expect(replies.filter(({ status }) => status === 429).length).toBe(500 - admitted)
    })

    test('concurrent requests are shared, and a place is free as soon as a request ends or its client disconnects', async () => {
      const { gateways, first, keyWith } = await openFixture({ count: 2 })
      const [one, two] = gateways
      const gate = Promise.withResolvers<void>()
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
      first.one.script(
        {},
        {
          kind: 'events',
          headers: { 'content-type': 'application/json' },
          events: [JSON.stringify({ choices: [], usage })],
          end: 'clean',
          gates: [gate.promise],
        },
      )
      const { ask } = await keyWith({ concurrentRequests: 2, requestsPerMinute: 6_000 })
      const running = [ask(chatBody(), one), ask(chatBody(), two)]
      await first.one.whenRequested(2)
      for (const at of gateways) {
        const askedMs = at.clock.nowMs()
        const refused = await ask(chatBody(), at)
        expectConsistentRefusal(refused, askedMs)
        expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('6000')
        expect(refused.json).toMatchObject({ error: { limit: 'key.concurrent_requests' } })
      }
      gate.resolve()
      for (const reply of await Promise.all(running)) expect(reply.status).toBe(200)
      await eventually('a place is free', async () => (await ask(chatBody(), two)).status === 200)
    })

    test('headers, estimates and corrections are those of all replicas', async () => {
      const { gateways, first, keyWith } = await openFixture({ count: 2 })
      const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 }
      first.one.script({}, { kind: 'lie-usage', usage })
      const { ask } = await keyWith({ requestsPerMinute: 10, tokensPerMinute: 2_000 })
      for (const [index, at] of [...gateways, ...gateways].entries()) {
        const { status, headers } = await ask(chatBody({ max_tokens: 1_000 }), at)
        expect(status).toBe(200)
        expect(headers.get('x-ratelimit-limit-requests')).toBe('10')
        expect(headers.get('x-ratelimit-remaining-requests')).toBe(String(9 - index))
      }
      await eventually('the estimates are corrected', async () => {
        const { headers } = await ask(chatBody({ max_tokens: 1 }))
        return Number(headers.get('x-ratelimit-remaining-tokens')) > 1_900
      })
    })

    test('a request that the money or another limit refuses takes nothing', async () => {
      const { first, keyWith } = await openFixture()
      const poor = await keyWith({ requestsPerMinute: 1, quotaNano: 1_000n })
      for (let times = 0; times < 4; times += 1) expect((await poor.ask()).status).toBe(403)
      const narrow = await keyWith({
        requestsPerMinute: 50,
        modelLimits: [
          { model: 'gpt-x', requestsPerMinute: 1, tokensPerMinute: null, concurrentRequests: null },
        ],
      })
      expect((await narrow.ask()).headers.get('x-ratelimit-remaining-requests')).toBe('0')
      for (let times = 0; times < 4; times += 1) {
        const askedMs = first.clock.nowMs()
        const refused = await narrow.ask()
        expectConsistentRefusal(refused, askedMs)
        expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('1')
        expect(refused.json).toMatchObject({ error: { limit: 'key_model.requests_per_minute' } })
      }
      expect(first.one.requests.length).toBe(1)
    })

    test('a request that the money refuses is given back before the next request, also if the server forgets the scripts', async () => {
      const { redis, keyWith } = await openFixture()
      const poor = await keyWith({ requestsPerMinute: 1, quotaNano: 1_000n })
      for (let times = 0; times < 30; times += 1) {
        if (times % 3 > 0) await redis.send('SCRIPT', 'FLUSH')
        expect((await poor.ask()).status).toBe(403)
      }
    })

    test('sequential requests with a limit of one concurrent request are all admitted', async () => {
      const { redis, keyWith } = await openFixture()
      const { ask } = await keyWith({ concurrentRequests: 1 })
      for (let times = 0; times < 30; times += 1) {
        if (times % 3 === 1) await redis.send('SCRIPT', 'FLUSH')
        expect((await ask(chatBody({ stream: times % 2 === 0 }))).status).toBe(200)
      }
    })

    test('members: all keys of a member count together at all replicas', async () => {
      const { gateways, first, keyWith } = await openFixture({ count: 2, limitsFallback: 'refuse' })
      const userId = await write(first.engine, Date.now(), async (writing) => {
        const made = { email: 'ann@example.com', role: 'member', proof: 'operator' } as const
        const ids = { random: systemRandom, nowMs: Date.now() }
        const id = await createUser(writing, ids, made)
        await putMember(writing, { userId: id, accountId: 'acme', requestsPerMinute: 5 })
        return id
      })
      const even = await keyWith({ ownerId: userId })
      const odd = await keyWith({ ownerId: userId })
      const replies = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          (index % 2 === 0 ? even : odd).ask(chatBody(), gateways[(index >> 1) % 2]),
        ),
      )
      expect(replies.filter((reply) => reply.status === 200).length).toBe(5)
      for (const reply of replies)
        if (reply.status === 429)
          expect(reply.json).toMatchObject({ error: { limit: 'member.requests_per_minute' } })
    })

    test('an explanation takes nothing and names the limit', async () => {
      const { keyWith, first } = await openFixture()
      const { ask } = await keyWith({ requestsPerMinute: 1 })
      const explain = { 'x-gateway-explain': 'true' }
      for (let times = 0; times < 3; times += 1)
        expect((await ask(chatBody(), first, explain)).json).not.toMatchObject({ refusal: {} })
      expect((await ask()).status).toBe(200)
      const { text } = await ask(chatBody(), first, explain)
      expect(text).toContain('rate limits')
      expect(text).toContain('1 request per minute')
    })

    test.each([
      ['local', 200],
      ['refuse', 503],
    ] as const)(
      'while it is killed, "%s" applies; afterwards it counts again',
      async (fallback, status) => {
        const { redis, first, keyWith } = await openFixture({ limitsFallback: fallback })
        const { ask } = await keyWith({ requestsPerMinute: 1_000 })
        expect((await ask()).headers.get('x-ratelimit-remaining-requests')).toBe('999')
        await redis.kill()
        for (let times = 0; times < 5; times += 1) {
          const reply = await ask()
          expect(reply.status).toBe(status)
          if (status === 503) expect(reply.headers.get('retry-after')).toBe('1')
        }
        expect(first.node.rateLimits.isServerUp()).toBe(false)
        expect(logged(first, 'rate_limits_server_lost').length).toBe(1)
        await redis.start()
        await eventually('the server is back', () => first.node.rateLimits.isServerUp() === true)
        expect(logged(first, 'rate_limits_server_back').length).toBe(1)
        expect((await ask()).headers.get('x-ratelimit-remaining-requests')).toBe('999')
      },
    )

    test('a gateway that has used more than its share has its share of what is left when the server is killed', async () => {
      const { redis, first, gateways, keyWith } = await openFixture({ count: 2 })
      await eventually('the gateways know each other', () =>
        gateways.every(({ node }) => node.rateLimits.replicas() === 2),
      )
      const requests = await keyWith({ requestsPerMinute: 60 })
      const asked = Array.from({ length: 60 }, () => requests.ask())
      for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
      const usage = { prompt_tokens: 15_000, completion_tokens: 5_000, total_tokens: 20_000 }
      first.one.script({}, { kind: 'lie-usage', usage })
      const tokens = await keyWith({ tokensPerMinute: 40_000 })
      expect((await tokens.ask(chatBody({ max_tokens: 1_000 }))).status).toBe(200)
      await redis.kill()
      await eventually('the server is lost', () => first.node.rateLimits.isServerUp() === false)
      // One more request is admitted every 2 s. Beyond its share it has used nothing that it would have to wait for.
      const { status, headers } = await requests.ask()
      if (status !== 200) expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(2)
      // Half of the limit is left, and it has half of that.
      expect((await tokens.ask(chatBody({ max_tokens: 1_000 }))).status).toBe(200)
    })

    test.each([
      ['local', 200],
      ['refuse', 503],
    ] as const)(
      'while it is paused under load, "%s" applies and no request hangs',
      async (fallback, status) => {
        const { redis, first, keyWith } = await openFixture({ limitsFallback: fallback })
        const { ask } = await keyWith({ requestsPerMinute: 1_000, concurrentRequests: 500 })
        expect((await ask()).status).toBe(200)
        redis.pause()
        const replies = await Promise.all(Array.from({ length: 50 }, () => ask()))
        expect(replies.map((reply) => reply.status)).toEqual(
          Array.from({ length: 50 }, () => status),
        )
        redis.resume()
        await eventually('the server is back', () => first.node.rateLimits.isServerUp() === true)
        expect((await ask()).status).toBe(200)
      },
    )

    test('without its server a gateway starts, and local limits still limit', async () => {
      const { redis, first } = await openFixture()
      await redis.kill()
      const late = await startGateway({ limitsUrl: redis.url, beside: first })
      started.push(late)
      const { value } = await write(first.engine, Date.now(), (writing) =>
        createKey(writing, tools, { accountId: 'acme', name: 'limited', requestsPerMinute: 4 }),
      )
      const headers = { authorization: `Bearer ${value}` }
      const statuses: number[] = []
      for (let times = 0; times < 6; times += 1)
        statuses.push((await late.ask({ headers, body: chatBody() })).status)
      expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(4)
      expect(statuses.at(0)).toBe(200)
      expect(statuses.at(-1)).toBe(429)
    })
  })

  describe('a Redis server with a password', () => {
    let redis: TestRedis | undefined
    afterAll(() => redis?.stop())

    test('accepts the password of the URL, and no log shows it', async () => {
      const password = 'correct horse/battery@staple'
      redis = await startRedis(path ?? '', { password })
      const right = await startGateway({ limitsUrl: redis.url })
      started.push(right)
      expect(right.node.rateLimits.isServerUp()).toBe(true)
      const wrong = await startGateway({
        limitsUrl: redis.url.replace(/:[^:@/]*@/, ':wrong-password@'),
        beside: right,
      })
      started.push(wrong)
      expect(wrong.node.rateLimits.isServerUp()).toBe(false)
      expect(logged(wrong, 'rate_limits_server_lost').length).toBe(1)
      for (const { logLines } of [right, wrong]) {
        const text = logLines.join('\n')
        for (const secret of ['wrong-password', password, encodeURIComponent(password), 'staple'])
          expect(text).not.toContain(secret)
      }
    })
  })
}
