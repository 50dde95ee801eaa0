import { afterEach, describe, expect, test } from 'bun:test'
import {
  type LimitFallback,
  type OwnedLimits,
  ownedLimits,
} from '../../../src/core/limits/rate-limit.ts'
import { limitChecks } from '../../../src/limits/limit-checks.ts'
import { limitScripts } from '../../../src/limits/limit-scripts.ts'
import { LimitRefusal, LimitsUnavailable, type Verdict } from '../../../src/limits/limiter.ts'
import { LocalLimits } from '../../../src/limits/local-limits.ts'
import { SharedLimits } from '../../../src/limits/shared-limits.ts'
import { ScriptHost, serverWaits } from '../../../src/store/redis/script-host.ts'
import { eventually } from '../../support/eventually.ts'
import { redisPath, startRedis } from '../../support/redis/start-redis.ts'

const path = redisPath('limits on a Redis server')
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function openFixture({ fallback = 'local' }: { readonly fallback?: LimitFallback } = {}) {
  const redis = await startRedis(path ?? '')
  closers.push(redis.stop)
  const events: string[] = []
  let limits: SharedLimits | undefined
  const host = new ScriptHost(
    redis.url,
    { scripts: limitScripts, checks: limitChecks },
    {
      onDown: (why) => events.push(why),
      onUp: () => {
        events.push('up')
        void limits?.renew()
      },
    },
  )
  closers.push(() => host.close())
  await host.open()
  const nowMs = () => performance.now()
  const opened = new SharedLimits({
    host,
    local: new LocalLimits(nowMs),
    fallback,
    permitPrefix: 'test',
    nowMs,
    onUnshared: () => undefined,
  })
  limits = opened
  closers.push(() => opened.close())
  return { redis, host, limits: opened, events }
}

function limitedBy(values: Partial<OwnedLimits['values']>): OwnedLimits {
  const none = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null }
  const owned = ownedLimits('key', 'k', { ...none, ...values })
  if (!owned) throw new Error('no limit')
  return owned
}

const userMay = (rule: string) => ['ACL', 'SETUSER', 'default', rule] as const

const rateKey = 'tollgate:{limits}:rate:key:k'
const placesKey = 'tollgate:{limits}:running:key:k'

if (path !== undefined) {
  describe('a server whose clock was set back', () => {
    test('by an hour admits requests, not only when its clock has caught up', async () => {
      const { redis, limits } = await openFixture()
      const owned = limitedBy({ requestsPerMinute: 2, tokensPerMinute: 100, concurrentRequests: 1 })
      const later = String(Date.now() + 3_600_000)
      await redis.send('HSET', rateKey, 'r', later, 't', later)
      // The place of a replica that was killed.
      await redis.send('ZADD', placesKey, later, 'gone')
      const first = await limits.admit([owned], 10)
      expect(first).not.toBeInstanceOf(LimitRefusal)
      expect(await limits.admit([owned], 10)).toMatchObject({ kind: 'concurrent' })
      if (!(first instanceof LimitRefusal)) first.end(10)
      // The end is sent together with other ends of the same moment.
      await Promise.resolve()
      const second = await limits.admit([owned], 10)
      expect(second).not.toBeInstanceOf(LimitRefusal)
      expect(await limits.admit([owned], 10)).toMatchObject({ kind: 'requests' })
    })

    test('by a minute has no wait longer than six minutes', async () => {
      const { redis, limits } = await openFixture()
      const owned = limitedBy({ requestsPerMinute: 2 })
      await redis.send('HSET', rateKey, 'r', String(Date.now() + 120_000), 't', '0')
      const refusal = await limits.admit([owned], 10)
      expect(refusal).toBeInstanceOf(LimitRefusal)
      if (refusal instanceof LimitRefusal) expect(refusal.waitMs).toBeLessThan(360_000)
    })
  })

  test('requests that end while the places of many are renewed leave no place behind', async () => {
    // So many calls at once take a slow machine longer than a call may take.
    const usualMs = serverWaits.answerMs
    closers.push(() => (serverWaits.answerMs = usualMs))
    serverWaits.answerMs = 60_000
    const { redis, limits } = await openFixture()
    const owned = limitedBy({ concurrentRequests: 2_000 })
    const verdicts = await Promise.all(
      Array.from({ length: 1_200 }, async () => limits.admit([owned], 1)),
    )
    expect(await redis.send('ZCARD', placesKey)).toBe(1_200)
    const renewed = limits.renew()
    for (const permit of verdicts) if (!(permit instanceof LimitRefusal)) permit.end(1)
    await renewed
    await eventually(
      'all places are free',
      async () => (await redis.send('ZCARD', placesKey)) === 0,
    )
  })

  describe('a server that was lost has no place of a request that has ended', () => {
    const owned = limitedBy({ concurrentRequests: 3 })
    const admitAll = (limits: SharedLimits) =>
      Promise.all(Array.from({ length: 3 }, async () => limits.admit([owned], 1)))
    const endAll = (verdicts: readonly Verdict[]) => {
      for (const each of verdicts) if (!(each instanceof LimitRefusal)) each.end(1)
    }
    const expectAllFree = async (limits: SharedLimits) => {
      for (const each of await admitAll(limits)) expect(each).not.toBeInstanceOf(LimitRefusal)
      expect(await limits.admit([owned], 1)).toMatchObject({ kind: 'concurrent' })
    }

    test('although the end could not be reported', async () => {
      const { redis, host, limits } = await openFixture()
      const running = await admitAll(limits)
      redis.pause()
      await limits.preview([owned], 1)
      expect(host.isUp).toBe(false)
      endAll(running)
      redis.resume()
      await eventually('the server is used again', () => host.isUp)
      await expectAllFree(limits)
    })

    test('although its answers came too late', async () => {
      const { redis, host, limits } = await openFixture()
      redis.pause()
      const late = await admitAll(limits)
      expect(host.isUp).toBe(false)
      for (const each of late) expect(each).not.toBeInstanceOf(LimitRefusal)
      endAll(late)
      redis.resume()
      await eventually('the server is used again', () => host.isUp)
      await expectAllFree(limits)
    })

    test('although its answers came too late for requests that were then refused', async () => {
      const { redis, host, limits } = await openFixture({ fallback: 'refuse' })
      redis.pause()
      await admitAll(limits).catch((error: unknown) =>
        expect(error).toBeInstanceOf(LimitsUnavailable),
      )
      redis.resume()
      await eventually('the server is used again', () => host.isUp)
      await expectAllFree(limits)
    })
  })

  describe('requests that run while the server is lost are counted as soon as it is back', () => {
    const owned = limitedBy({ concurrentRequests: 2 })
    const anew = async (
      { redis, host }: Awaited<ReturnType<typeof openFixture>>,
      meanwhile: () => Promise<void>,
    ) => {
      await redis.kill()
      await eventually('the server is lost', () => !host.isUp)
      await meanwhile()
      await redis.start()
      await eventually('the server is used again', () => host.isUp)
    }

    test('those that the server had admitted before its restart', async () => {
      const fixture = await openFixture()
      const { limits } = fixture
      const first = await limits.admit([owned], 1)
      await anew(fixture, async () => undefined)
      expect(await limits.admit([owned], 1)).not.toBeInstanceOf(LimitRefusal)
      expect(await limits.admit([owned], 1)).toMatchObject({ kind: 'concurrent' })
      if (!(first instanceof LimitRefusal)) first.end(1)
      await Promise.resolve()
      expect(await limits.admit([owned], 1)).not.toBeInstanceOf(LimitRefusal)
    })

    test('those that were admitted without it', async () => {
      const fixture = await openFixture()
      const { limits, redis } = fixture
      const alone: Verdict[] = []
      await anew(fixture, async () => {
        alone.push(await limits.admit([owned], 1), await limits.admit([owned], 1))
      })
      for (const each of alone) expect(each).not.toBeInstanceOf(LimitRefusal)
      expect(await limits.admit([owned], 1)).toMatchObject({ kind: 'concurrent' })
      for (const each of alone) if (!(each instanceof LimitRefusal)) each.end(1)
      await eventually('both places are free', async () => (await redis.send('DBSIZE')) === 0)
    })
  })

  describe('a server that answers but cannot write counts as lost until it can', () => {
    test.each([
      [
        'it has no memory left',
        ['CONFIG', 'SET', 'maxmemory', '1'],
        ['CONFIG', 'SET', 'maxmemory', '0'],
      ],
      ['it is a read-only replica', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
      ['its user may not run scripts', userMay('-evalsha'), userMay('+evalsha')],
      ['its user may not enter places', userMay('-zadd'), userMay('+zadd')],
      ['its user may not free places', userMay('-zrem'), userMay('+zrem')],
      ['its user may not use these keys', userMay('resetkeys'), userMay('allkeys')],
    ] as const)('%s', async (_, [command, ...words], [remedy, ...others]) => {
      const { redis, host, limits, events } = await openFixture()
      const owned = limitedBy({ requestsPerMinute: 1 })
      await redis.send(command, ...words)
      for (const each of [owned, limitedBy({ concurrentRequests: 9 })]) {
        const permit = await limits.admit([each], 1)
        // The end of a request is enough to find out.
        if (!(permit instanceof LimitRefusal)) permit.giveBack()
        await limits.preview([each], 1)
      }
      expect(await limits.admit([owned], 1)).not.toBeInstanceOf(LimitRefusal)
      expect(host.isUp).toBe(false)
      await eventually('two attempts to connect', () => events.length >= 4)
      expect(events.slice(1)).not.toContain('up')
      // Local limits apply.
      expect(await limits.admit([owned], 1)).toBeInstanceOf(LimitRefusal)
      await redis.send(remedy, ...others)
      await eventually('the server is used again', () => host.isUp)
      const running = await limits.admit([limitedBy({ concurrentRequests: 9 })], 1)
      expect(running).not.toBeInstanceOf(LimitRefusal)
      expect(await redis.send('EXISTS', placesKey)).toBe(1)
    })
  })
}
