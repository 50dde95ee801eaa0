import { afterEach, describe, expect, test } from 'bun:test'
import type { Provision } from '../../../src/config/provision.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import { startGateway, type TestGateway } from '../../support/gateway/start-gateway.ts'
import { expectOrder } from '../../support/gateway/with-gateway.ts'
import { redisPath, startRedis, type TestRedis } from '../../support/redis/start-redis.ts'
import { holdBack, queue, untilWaiting } from '../routing/queue-helpers.ts'

const path = redisPath('places of failed attempts with Redis')
const started: (TestGateway | TestRedis)[] = []
afterEach(async () => {
  for (const each of started.splice(0).reverse()) {
    if ('node' in each) await expectOrder(each)
    await each.stop()
  }
})

/** The credential of even-one has one place. After it comes even-two, which takes one request at a time. */
function withPlaces(usual: Provision): Provision {
  const provision = withRouting(usual)
  const upstreams = provision.upstreams.map((upstream) => {
    if (upstream.id === 'even-two') return { ...upstream, priority: 1, concurrencyMax: 1 }
    if (upstream.id !== 'even-one') return upstream
    const credentials = upstream.credentials?.map((each) => ({ ...each, concurrentRequests: 1 }))
    return { ...upstream, credentials }
  })
  return { ...provision, upstreams }
}

const places: [string, boolean][] = [['in one process', false]]
if (path !== undefined) places.push(['with Redis', true])

describe.each(places)('the place of a failed attempt at a credential, %s', (_, isRemote) => {
  test.each([false, true])(
    'is free while the request waits for a full upstream, stream %p',
    async (stream) => {
      const redis = isRemote ? await startRedis(path ?? '') : undefined
      if (redis) started.push(redis)
      const gateway = await startGateway({
        extend: withPlaces,
        queue: { ...queue, waitMs: 2_000 },
        ...(redis && { limitsUrl: redis.url, limitsFallback: 'refuse' }),
      })
      started.push(gateway)
      const { one, two } = gateway
      const ask = (more = {}) =>
        gateway.ask({ key: 'plain', body: chatBody({ model: 'gpt-even', ...more }) })
      const endFirst = holdBack(one)
      const first = ask()
      await one.whenRequested(1)
      // The only place is taken, so the second request goes to the other upstream, which is then full.
      const endSecond = holdBack(two)
      const second = ask()
      await two.whenRequested(1)
      endFirst()
      expect((await first).status).toBe(200)
      one.script('next', { kind: 'status', status: 500 })
      const waiting = ask({ stream })
      await untilWaiting(gateway, 1)
      // The third request waits for even-two. The place at even-one is free for the next one.
      const next = await ask()
      const asked = [one.requests.length, two.requests.length]
      endSecond()
      expect(next.status).toBe(200)
      expect(asked).toEqual([3, 1])
      expect((await waiting).status).toBe(200)
      expect((await second).status).toBe(200)
      expect(two.requests).toHaveLength(2)
    },
  )
})
