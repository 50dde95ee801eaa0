import { afterEach, describe, expect, test } from 'bun:test'
import type { Provision } from '../../../src/config/provision.ts'
import { systemRandom } from '../../../src/core/id.ts'
import type { GivenLimitValues } from '../../../src/core/limits/rate-limit.ts'
import type { NewKey } from '../../../src/keys/definition/key.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import {
  type GatewayOptions,
  startGateway,
  type TestGateway,
} from '../../support/gateway/start-gateway.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { credentials } from '../../support/gateway/test-provision.ts'
import { redisPath, startRedis, type TestRedis } from '../../support/redis/start-redis.ts'

const path = redisPath('limits of credentials with Redis')
const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
const started: (TestGateway | TestRedis)[] = []
afterEach(async () => {
  for (const each of started.splice(0).reverse()) await each.stop()
})

/** Limits of credentials by upstream and name. */
type Given = Readonly<Record<string, Readonly<Record<string, GivenLimitValues>>>>

function limited(given: Given): (provision: Provision) => Provision {
  return (usual) => {
    const provision = withRouting(usual)
    const upstreams = provision.upstreams.map((upstream) => ({
      ...upstream,
      credentials: upstream.credentials?.map((each) => ({
        ...each,
        ...given[upstream.id]?.[each.name],
      })),
    }))
    return { ...provision, upstreams }
  }
}

async function openFixture(
  given: Given,
  options: GatewayOptions & { readonly count?: number } = {},
) {
  const redis = await startRedis(path ?? '')
  started.push(redis)
  const { count = 1, ...rest } = options
  const gateways: TestGateway[] = []
  while (gateways.length < count) {
    const [beside] = gateways
    const next = await startGateway({
      ...rest,
      limitsUrl: redis.url,
      extend: limited(given),
      ...(beside && { beside }),
    })
    started.push(next)
    gateways.push(next)
  }
  const [first] = gateways
  if (!first) throw new Error('no gateway')
  const keyWith = async (fields: Partial<NewKey>) => {
    const { value } = await write(first.engine, Date.now(), (writing) =>
      createKey(writing, tools, { accountId: 'acme', name: 'limited', ...fields }),
    )
    const headers = { authorization: `Bearer ${value}` }
    return (model = 'gpt-keys', at = first, more = {}) =>
      at.ask({ headers, body: chatBody({ model, ...more }) })
  }
  return { redis, gateways, first, keyWith }
}

/** The number of scripts that the server has run. */
async function scriptsRun(redis: TestRedis): Promise<number> {
  const text = String(await redis.send('INFO', 'commandstats'))
  return [...text.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  )
}

const gated = (gate: Promise<void>) =>
  ({
    kind: 'events',
    headers: { 'content-type': 'application/json' },
    events: [JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })],
    end: 'clean',
    gates: [gate],
  }) as const

const all: NewKey['modelLimits'] = [
  { model: 'gpt-keys', requestsPerMinute: 50, tokensPerMinute: 90_000, concurrentRequests: 9 },
]
const ofKey = { requestsPerMinute: 50, tokensPerMinute: 90_000, concurrentRequests: 9 }
const wide = { requestsPerMinute: 100, tokensPerMinute: 900_000, concurrentRequests: 9 }

if (path !== undefined) {
  describe('a request makes one call to Redis before its attempt, and one at its end', () => {
    test.each([
      ['limits of the credential only', {}],
      ['limits of key, key and model, and credential', { ...ofKey, modelLimits: all }],
    ])('%s', async (_, fields) => {
      const { redis, first, keyWith } = await openFixture({ keys: { first: wide, second: wide } })
      const ask = await keyWith(fields)
      const gate = Promise.withResolvers<void>()
      first.one.script({}, gated(gate.promise))
      const before = await scriptsRun(redis)
      const reply = ask()
      await first.one.whenRequested(1)
      expect(await scriptsRun(redis)).toBe(before + 1)
      gate.resolve()
      expect((await reply).status).toBe(200)
      expect(await scriptsRun(redis)).toBe(before + 2)
    })

    test('also when the first credential has no room', async () => {
      const { redis, first, keyWith } = await openFixture({
        keys: { first: { concurrentRequests: 1 }, second: wide },
      })
      const ask = await keyWith(ofKey)
      const gate = Promise.withResolvers<void>()
      first.one.script({}, gated(gate.promise))
      // The credentials take turns: the third request would use the first one again.
      const running = [ask(), ask()]
      await first.one.whenRequested(2)
      const before = await scriptsRun(redis)
      running.push(ask())
      await first.one.whenRequested(3)
      expect(await scriptsRun(redis)).toBe(before + 1)
      const used = first.one.requests.map(({ headers }) => headers['authorization'])
      expect(used.filter((value) => value === `Bearer ${credentials.one}`).length).toBe(1)
      gate.resolve()
      for (const reply of await Promise.all(running)) expect(reply.status).toBe(200)
    })

    test('none for a second after all credentials were found used up', async () => {
      const { redis, first, keyWith } = await openFixture({
        capped: { first: { requestsPerMinute: 1 } },
      })
      const ask = await keyWith({})
      expect((await ask('gpt-capped')).status).toBe(200)
      const goOn = first.clock.standStill()
      expect((await ask('gpt-capped')).status).toBe(429)
      const before = await scriptsRun(redis)
      for (let times = 0; times < 5; times += 1) {
        const refused = await ask('gpt-capped')
        expect(refused.status).toBe(429)
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
      }
      goOn()
      expect(await scriptsRun(redis)).toBe(before)
    })

    test('a retry with a limited credential makes one more', async () => {
      const { redis, first, keyWith } = await openFixture({
        keys: { first: wide, second: wide },
        'keys-later': { first: wide },
      })
      const ask = await keyWith(ofKey)
      first.one.script({}, { kind: 'status', status: 500 })
      const before = await scriptsRun(redis)
      expect((await ask()).status).toBe(200)
      expect(first.two.requests.length).toBe(1)
      // Admission; the end of the failed attempt; the second attempt; the end of everything.
      expect(await scriptsRun(redis)).toBe(before + 4)
    })
  })

  describe('the limits of credentials', () => {
    test('what an attempt of one gateway gives back is available to another gateway that was refused', async () => {
      const tight = { tokensPerMinute: 1_100 }
      const { first, gateways, keyWith } = await openFixture(
        { keys: { first: tight, second: tight }, 'keys-later': { first: tight } },
        { count: 2 },
      )
      const ask = await keyWith({})
      const request = (at: TestGateway) => ask('gpt-keys', at, { max_tokens: 1_000 })
      const gate = Promise.withResolvers<void>()
      first.one.script({}, gated(gate.promise))
      first.two.script({}, gated(gate.promise))
      const running = [request(first), request(first), request(first)]
      await Promise.all([first.one.whenRequested(2), first.two.whenRequested(1)])
      const other = gateways[1] ?? first
      expect((await request(other)).status).toBe(429)
      gate.resolve()
      for (const reply of await Promise.all(running)) expect(reply.status).toBe(200)
      other.clock.passTime(1_000)
      expect((await request(other)).status).toBe(200)
    })

    test('three gateways: exactly as many attempts as the limits allow', async () => {
      const { gateways, first, keyWith } = await openFixture(
        { keys: { first: { requestsPerMinute: 12 }, second: { requestsPerMinute: 8 } } },
        { count: 3, limitsFallback: 'refuse' },
      )
      const ask = await keyWith({ requestsPerMinute: 1_000 })
      const startedMs = performance.now()
      const replies = await Promise.all(
        Array.from({ length: 90 }, (_, index) => ask('gpt-keys', gateways[index % 3])),
      )
      const more = Math.floor((performance.now() - startedMs) / 3_000)
      for (const { status } of replies) expect(status).toBe(200)
      expect(first.one.requests.length).toBeGreaterThanOrEqual(20)
      expect(first.one.requests.length).toBeLessThanOrEqual(20 + more)
      expect(first.two.requests.length).toBe(90 - first.one.requests.length)
    })

    test('a request that the money or a limit of the key refuses takes nothing from them', async () => {
      const { first, keyWith } = await openFixture({ capped: { first: { requestsPerMinute: 2 } } })
      const poor = await keyWith({ quotaNano: 1_000n })
      for (let times = 0; times < 4; times += 1) expect((await poor('gpt-capped')).status).toBe(403)
      const narrow = await keyWith({ requestsPerMinute: 1 })
      expect((await narrow('gpt-capped')).status).toBe(200)
      for (let times = 0; times < 4; times += 1)
        expect((await narrow('gpt-capped')).status).toBe(429)
      const free = await keyWith({})
      expect((await free('gpt-capped')).status).toBe(200)
      const refused = await free('gpt-capped')
      expect(refused.status).toBe(429)
      expect(refused.json).toMatchObject({ error: { reason: 'upstream_rejected' } })
      expect(first.one.requests.length).toBe(2)
    })

    test('a place that is not used, because the upstream is full, is given back', async () => {
      const { first, keyWith } = await openFixture({ capped: { first: { requestsPerMinute: 2 } } })
      const ask = await keyWith({})
      const gate = Promise.withResolvers<void>()
      first.one.script({}, gated(gate.promise))
      const running = Array.from({ length: 2 }, () => ask('gpt-capped'))
      const refused = await Promise.race(running)
      expect(refused.status).toBe(503)
      gate.resolve()
      const statuses = (await Promise.all(running)).map(({ status }) => status)
      expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 503])
      expect((await ask('gpt-capped')).status).toBe(200)
      expect((await ask('gpt-capped')).status).toBe(429)
    })

    test('places are free when an attempt has ended, also of a stream', async () => {
      const { keyWith } = await openFixture({ capped: { first: { concurrentRequests: 1 } } })
      const ask = await keyWith({ concurrentRequests: 1 })
      for (let times = 0; times < 10; times += 1)
        expect((await ask('gpt-capped', undefined, { stream: times % 2 === 1 })).status).toBe(200)
    })

    test('an attempt that has failed does not take the place of the next one', async () => {
      const { first, keyWith } = await openFixture({ capped: { first: { concurrentRequests: 1 } } })
      const ask = await keyWith({})
      first.one.script('next', { kind: 'status', status: 429, retryAfterSeconds: 0 })
      expect((await ask('gpt-capped')).status).toBe(200)
      expect(first.one.requests.length).toBe(2)
    })

    test.each([
      ['local', 200],
      ['refuse', 429],
    ] as const)(
      'without the server "%s" applies to requests that have no other limits',
      async (limitsFallback, status) => {
        const { redis, first, keyWith } = await openFixture(
          { capped: { first: wide } },
          { limitsFallback },
        )
        const ask = await keyWith({})
        expect((await ask('gpt-capped')).status).toBe(200)
        await redis.kill()
        await eventually('lost', () => first.node.rateLimits.isServerUp() === false)
        expect((await ask('gpt-capped')).status).toBe(status)
      },
    )
  })
}
