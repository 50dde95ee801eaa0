import { afterEach, describe, expect, test } from 'bun:test'
import type { Provision } from '../../../src/config/provision.ts'
import type { GivenLimitValues } from '../../../src/core/limits/rate-limit.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import { startGateway, type TestGateway } from '../../support/gateway/start-gateway.ts'
import type { KeyName } from '../../support/gateway/test-provision.ts'
import { expectOrder } from '../../support/gateway/with-gateway.ts'
import { redisPath, startRedis, type TestRedis } from '../../support/redis/start-redis.ts'
import { holdBack } from '../routing/queue-helpers.ts'

const path = redisPath('fallback models beside limits of credentials with Redis')
const started: (TestGateway | TestRedis)[] = []
afterEach(async () => {
  for (const each of started.splice(0).reverse()) {
    if ('node' in each) await expectOrder(each)
    await each.stop()
  }
})

/**
 * gpt-main has one credential with these limits. gpt-y, its fallback model, costs ten times as much; only gpt-y has a
 * price for audio output.
 */
function limited(given: GivenLimitValues): (provision: Provision) => Provision {
  return (usual) => {
    const provision = withRouting(usual)
    const upstreams = provision.upstreams.map((upstream) => ({
      ...upstream,
      credentials: upstream.credentials?.map((each) => ({
        ...each,
        ...(upstream.id === 'main' && given),
      })),
    }))
    const models = provision.models.map((model) => ({
      ...model,
      ...(model.id === 'gpt-y' &&
        model.price && {
          price: { ...tenfold(model.price), features: { audioOutput: 1_000_000n } },
        }),
    }))
    const keys = provision.keys.map((key) =>
      key.id === 'other' ? { ...key, quotaNano: 120_000_000n } : key,
    )
    return { ...provision, upstreams, models, keys }
  }
}

function tenfold<Price extends object>(price: Price): Price {
  const dearer = Object.entries(price).map(([name, each]) => [
    name,
    typeof each === 'bigint' ? each * 10n : each,
  ])
  return Object.fromEntries(dearer)
}

interface Fixture {
  readonly gateway: TestGateway
  ask(key?: KeyName, headers?: Record<string, string>): ReturnType<TestGateway['ask']>
}

async function openFixture(given: GivenLimitValues, isRemote: boolean): Promise<Fixture> {
  const redis = isRemote ? await startRedis(path ?? '') : undefined
  if (redis) started.push(redis)
  const gateway = await startGateway({
    extend: limited(given),
    ...(redis && { limitsUrl: redis.url, limitsFallback: 'refuse' }),
  })
  started.push(gateway)
  const body = chatBody({ model: 'gpt-main', max_tokens: 1_000 })
  const ask: Fixture['ask'] = (key = 'plain', headers = {}) => gateway.ask({ key, headers, body })
  return { gateway, ask }
}

/** The requests that each upstream got: for gpt-main, and for its fallback model. */
function sent({ gateway: { one, two } }: Pick<Fixture, 'gateway'>): readonly [number, number] {
  return [two.requests.length, one.requests.length]
}

const places: [string, boolean][] = [['in one process', false]]
if (path !== undefined) places.push(['with Redis', true])

describe.each(places)('a fallback model beside a credential with limits, %s', (_, isRemote) => {
  test('takes every request that the limits refuse', async () => {
    const fixture = await openFixture({ requestsPerMinute: 2 }, isRemote)
    const { gateway, ask } = fixture
    for (let times = 0; times < 6; times += 1) {
      // A refusal is relied on for a second. The first request after that is served by the fallback model as well.
      gateway.clock.passTime(2_000)
      const reply = await ask()
      expect(reply.status).toBe(200)
      const { group_id, model } = await gateway.money.usageRow(reply.requestId)
      expect({ group_id, model }).toEqual({
        group_id: 'default',
        model: times < 2 ? 'gpt-main' : 'gpt-y',
      })
    }
    expect(sent(fixture)).toEqual([2, 4])
  })

  test('takes requests for which no place is left', async () => {
    const fixture = await openFixture({ concurrentRequests: 1 }, isRemote)
    const { gateway, ask } = fixture
    const release = holdBack(gateway.two)
    const running = ask()
    await gateway.two.whenRequested(1)
    expect((await ask()).status).toBe(200)
    expect((await ask()).status).toBe(200)
    expect(sent(fixture)).toEqual([1, 2])
    release()
    expect((await running).status).toBe(200)
    expect((await ask()).status).toBe(200)
    expect(sent(fixture)).toEqual([2, 2])
  })

  test('takes a large request for which too few tokens are left, but not a small one after it', async () => {
    const fixture = await openFixture({ tokensPerMinute: 1_500 }, isRemote)
    const { gateway, ask } = fixture
    const release = holdBack(gateway.two)
    const running = ask()
    await gateway.two.whenRequested(1)
    expect((await ask()).status).toBe(200)
    expect(sent(fixture)).toEqual([1, 1])
    const small = { key: 'plain', body: chatBody({ model: 'gpt-main', max_tokens: 10 }) } as const
    expect((await gateway.ask(small)).status).toBe(200)
    expect(sent(fixture)).toEqual([2, 1])
    release()
    expect((await running).status).toBe(200)
  })

  test('does not answer a request that has failed at the requested model', async () => {
    const fixture = await openFixture({ requestsPerMinute: 2 }, isRemote)
    const { gateway, ask } = fixture
    gateway.two.script({}, { kind: 'status', status: 500 })
    expect((await ask()).status).toBe(502)
    expect(sent(fixture)).toEqual([1, 0])
  })

  test('does not answer a request that the requested model may not serve', async () => {
    const { gateway } = await openFixture({ requestsPerMinute: 2 }, isRemote)
    const body = chatBody({ model: 'gpt-main', modalities: ['text', 'audio'] })
    for (const headers of [{}, { 'x-gateway-explain': 'true' }]) {
      const reply = await gateway.ask({ key: 'plain', headers, body })
      expect(reply.text).toContain('gpt-main\\" has no price for audio output')
    }
    expect(sent({ gateway })).toEqual([0, 0])
  })

  test('holds money only when it is about to answer', async () => {
    const fixture = await openFixture({ requestsPerMinute: 3 }, isRemote)
    const { gateway, ask } = fixture
    // The quota covers one request to gpt-y at a time, or ten to gpt-main.
    const release = holdBack(gateway.two)
    const running = ask('other')
    await gateway.two.whenRequested(1)
    for (let times = 0; times < 2; times += 1) expect((await ask('other')).status).toBe(200)
    expect(sent(fixture)).toEqual([3, 0])
    // The running request holds a tenth of the quota, and the rest is too little for gpt-y.
    expect((await ask('other')).status).toBe(429)
    release()
    expect((await running).status).toBe(200)
    const { requestId, status } = await ask('other')
    expect(status).toBe(200)
    expect(sent(fixture)).toEqual([3, 1])
    const row = await gateway.money.usageRow(requestId)
    expect(row.model).toBe('gpt-y')
    expect((await gateway.money.entry(requestId)).cost_nano).toBe(row.cost_nano)
  })

  test('that costs more than there is money for does not keep the requested model from answering', async () => {
    const fixture = await openFixture({ requestsPerMinute: 2 }, isRemote)
    const { ask } = fixture
    // The quota covers a thousand tokens of gpt-main, but not of gpt-y.
    expect((await ask('quota')).status).toBe(200)
    const headers = { 'x-gateway-explain': 'true' }
    const explained = JSON.parse((await ask('quota', headers)).text)
    expect(explained.tried.map(({ model }: { model: string }) => model)).toEqual(['gpt-main'])
    expect((await ask('quota')).status).toBe(200)
    const refused = await ask('quota')
    expect(refused.status).toBe(429)
    expect(refused.text).toContain('reached their rate limits')
    expect(sent(fixture)).toEqual([2, 0])
    const wide = JSON.parse((await ask('plain', headers)).text)
    expect(wide.tried.map(({ model }: { model: string }) => model)).toContain('gpt-y')
  })
})
