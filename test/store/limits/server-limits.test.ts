import { afterEach, describe, expect, test } from 'bun:test'
import { type OwnedLimits, ownedLimits } from '../../../src/core/limits/rate-limit.ts'
import { limitScripts } from '../../../src/limits/limit-scripts.ts'
import { LimitRefusal } from '../../../src/limits/limiter.ts'
import { LocalLimits } from '../../../src/limits/local-limits.ts'
import { SharedLimits } from '../../../src/limits/shared-limits.ts'
import { ScriptHost } from '../../../src/store/redis/script-host.ts'
import { eventually } from '../../support/eventually.ts'
import { redisPath, startRedis } from '../../support/redis/start-redis.ts'

const path = redisPath('limits on a Redis server')
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function openFixture() {
  const redis = await startRedis(path ?? '')
  closers.push(redis.stop)
  const events: string[] = []
  const host = new ScriptHost(redis.url, limitScripts, {
    onDown: (why) => events.push(why),
    onUp: () => events.push('up'),
  })
  closers.push(() => host.close())
  await host.open()
  const nowMs = () => performance.now()
  const limits = new SharedLimits({
    host,
    local: new LocalLimits(nowMs),
    fallback: 'local',
    permitPrefix: 'test',
    nowMs,
    onUnshared: () => undefined,
  })
  closers.push(() => limits.close())
  return { redis, host, limits, events }
}

function limitedBy(values: Partial<OwnedLimits['values']>): OwnedLimits {
  const none = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null }
  const owned = ownedLimits('key', 'k', { ...none, ...values })
  if (!owned) throw new Error('no limit')
  return owned
}

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

  describe('a server that answers but cannot write counts as lost until it can', () => {
    test.each([
      [
        'it has no memory left',
        ['CONFIG', 'SET', 'maxmemory', '1'],
        ['CONFIG', 'SET', 'maxmemory', '0'],
      ],
      ['it is a read-only replica', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
    ] as const)('%s', async (_, [command, ...words], [remedy, ...others]) => {
      const { redis, host, limits, events } = await openFixture()
      const owned = limitedBy({ requestsPerMinute: 1 })
      await redis.send(command, ...words)
      expect(await limits.admit([owned], 1)).not.toBeInstanceOf(LimitRefusal)
      expect(host.isUp).toBe(false)
      await eventually('two attempts to connect', () => events.length >= 4)
      expect(events.slice(1)).not.toContain('up')
      // Local limits apply.
      expect(await limits.admit([owned], 1)).toBeInstanceOf(LimitRefusal)
      await redis.send(remedy, ...others)
      await eventually('the server is used again', () => host.isUp)
      const permit = await limits.admit([owned], 1)
      expect(permit).not.toBeInstanceOf(LimitRefusal)
      expect(await redis.send('EXISTS', rateKey)).toBe(1)
    })
  })
}
