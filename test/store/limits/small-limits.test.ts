import { describe, expect, test } from 'bun:test'
import type { OwnedLimits } from '../../../src/core/limits/rate-limit.ts'
import { LimitRefusal, type Permit } from '../../../src/limits/limiter.ts'
import { eventually } from '../../support/eventually.ts'
import type { Replica } from '../../support/limits/open-replica.ts'
import { admitted, clusterOn, limitOf, permitOf } from '../../support/limits/small-cluster.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

/* Replicas count small limits in the database. */

const minuteMs = 60_000
/** The counts of a refusal are asked for again after this time. */
const freshMs = 250

describe.each(sharedFixtures('small limits'))('a small limit on $kind', (fixture) => {
  test('500 requests at the same time against a limit of 20', async () => {
    const { start } = clusterOn(await fixture.openMigrated())
    const replicas = await start('a', 'b', 'c')
    expect(await admitted(replicas, limitOf({ requestsPerMinute: 20 }), 500)).toBe(20)
  })

  test('single requests do not wait for the database, many at once do, and all together stay within a tenth', async () => {
    const { start, pass } = clusterOn(await fixture.openMigrated())
    const replicas = await start('a', 'b', 'c')
    const owned = limitOf({ requestsPerMinute: 60 })
    // The first request of each has to learn what the others have used.
    expect(await admitted(replicas, owned, 3)).toBe(3)
    await pass(minuteMs)
    let begun = 0
    for (const { limiter } of replicas) {
      const verdicts = Array.from({ length: 40 }, () => limiter.admit([owned], 1))
      // A tenth of the limit, divided by three.
      expect(verdicts.map((verdict) => verdict instanceof Promise).slice(0, 3)).toEqual([
        false,
        false,
        true,
      ])
      const decided = await Promise.all(verdicts.map(async (verdict) => verdict))
      begun += decided.filter((verdict) => !(verdict instanceof LimitRefusal)).length
    }
    expect(begun).toBeGreaterThanOrEqual(60)
    expect(begun).toBeLessThanOrEqual(66)
    // What was too much is missing afterwards.
    await pass(minuteMs / 2)
    expect(begun + (await admitted(replicas.slice(0, 1), owned, 60))).toBe(90)
  })

  test('what no request waits for is counted together, as soon as one waits', async () => {
    const { start, engine } = clusterOn(await fixture.openMigrated(), { paceMs: minuteMs })
    const [a] = await start('a', 'b')
    const owned = limitOf({ requestsPerMinute: 600 })
    const counted = async () => {
      const rows = await engine.db.selectFrom('rate_count').select('requests_left_ms').execute()
      return rows.map(({ requests_left_ms }) => requests_left_ms / (minuteMs / 600))
    }
    // The first one has to learn what the others have used.
    await permitOf(a, owned)
    expect(await counted()).toEqual([1])
    const begun = Array.from({ length: 30 }, () => a?.limiter.admit([owned], 1))
    expect(begun.filter((verdict) => verdict instanceof Promise)).toEqual([])
    // Enough time for a transaction.
    for (let reads = 0; reads < 50; reads += 1) expect(await counted()).toEqual([1])
    // A tenth of the limit, divided by two, has begun. The next one waits.
    await permitOf(a, owned)
    expect(await counted()).toEqual([32])
    await permitOf(a, owned)
    await a?.settled()
    expect(await counted()).toEqual([33])
  })

  test('tokens of all sizes together stay within a tenth before they are counted', async () => {
    const { start } = clusterOn(await fixture.openMigrated(), { paceMs: minuteMs })
    const [a] = await start('a', 'b')
    const owned = limitOf({ tokensPerMinute: 6_000 })
    // The first one has to learn what the others have used.
    await permitOf(a, owned)
    const isAwaited = (tokens: number) => a?.limiter.admit([owned], tokens) instanceof Promise
    // A tenth of the limit, divided by two, is 300 tokens.
    expect([200, 100, 1].map(isAwaited)).toEqual([false, false, true])
    await permitOf(a, owned)
    expect([1, 299, 1].map(isAwaited)).toEqual([false, false, true])
    await a?.settled()
  })

  test('a request that one limit refuses takes nothing from another', async () => {
    const { start, engine } = clusterOn(await fixture.openMigrated())
    const [a, b] = await start('a', 'b')
    const [wide, narrow] = [
      limitOf({ requestsPerMinute: 20 }),
      limitOf({ requestsPerMinute: 1 }, 'n'),
    ]
    const ask = async (replica: Replica | undefined) =>
      (await replica?.limiter.admit([wide, narrow], 1)) instanceof LimitRefusal
    expect([await ask(a), await ask(b), await ask(a)]).toEqual([false, true, true])
    const counted = await engine.db
      .selectFrom('rate_count')
      .select('requests_left_ms')
      .where('name', '=', wide.name)
      .execute()
    expect(counted).toEqual([{ requests_left_ms: minuteMs / 20 }])
  })

  test('a refusal shows the tightest of all limits, also of those that are divided', async () => {
    const { start } = clusterOn(await fixture.openMigrated())
    const [a, b] = await start('a', 'b')
    const small = limitOf({ requestsPerMinute: 1, tokensPerMinute: 1_000_000 })
    const large = limitOf({ requestsPerMinute: 10_000, tokensPerMinute: 10_000_000 }, 'large')
    const only = limitOf({ concurrentRequests: 1 }, 'only')
    const refused = async (...applied: readonly OwnedLimits[]) => {
      expect(await a?.limiter.admit(applied, 10)).not.toBeInstanceOf(LimitRefusal)
      const verdict = await b?.limiter.admit(applied, 10)
      return verdict instanceof LimitRefusal ? verdict.levels : undefined
    }
    expect(await refused(only, large)).toMatchObject({
      requests: { limit: 10_000 },
      tokens: { limit: 10_000_000 },
    })
    expect(await refused(small, large)).toMatchObject({
      requests: { limit: 1, remaining: 0 },
      tokens: { limit: 1_000_000 },
    })
  })

  test('a preview tells what a request would get, also for places that another replica uses, and takes nothing', async () => {
    const { start } = clusterOn(await fixture.openMigrated())
    const [a, b] = await start('a', 'b')
    const [places, rate] = [
      limitOf({ concurrentRequests: 1 }),
      limitOf({ requestsPerMinute: 1 }, 'rate'),
    ]
    const preview = (...of: OwnedLimits[]) => b?.limiter.preview(of, 1)
    for (let count = 0; count < 3; count += 1) expect(await preview(places, rate)).toBeUndefined()
    const running = await permitOf(a, places)
    expect(await preview(places, rate)).toMatchObject({
      owner: 'key',
      kind: 'concurrent',
      limit: 1,
    })
    running?.end(0)
    await a?.settled()
    expect(await preview(places, rate)).toBeUndefined()
    await permitOf(a, rate)
    expect(await preview(places, rate)).toMatchObject({ kind: 'requests', limit: 1 })
    expect(await permitOf(b, places)).toBeDefined()
  })

  test('tokens are estimated, and the correction is known to the others', async () => {
    const { start, pass } = clusterOn(await fixture.openMigrated())
    const [a, b] = await start('a', 'b')
    const owned = limitOf({ tokensPerMinute: 1_000 })
    const first = await permitOf(a, owned, 900)
    expect(await permitOf(b, owned, 600)).toBeUndefined()
    first?.end(100)
    await a?.settled()
    await pass(2 * freshMs)
    expect(await permitOf(b, owned, 900)).toBeDefined()
    expect(await permitOf(a, owned, 600)).toBeUndefined()
  })

  test('what has come back is available at once, also while an earlier transaction counts', async () => {
    const { start } = clusterOn(await fixture.openMigrated())
    const [a] = await start('a', 'b')
    const owned = limitOf({ tokensPerMinute: 1_000 })
    const running = await permitOf(a, owned, 900)
    const ask = (tokens: number) => a?.limiter.admit([owned], tokens)
    // The transaction of the first one has no room for what follows 200 others.
    const first = Promise.resolve(ask(60)).then(() => ask(600))
    for (let others = 1; others < 200; others += 1) void ask(0)
    running?.end(100)
    expect(await first).not.toBeInstanceOf(LimitRefusal)
    await a?.settled()
  })

  test('a request that is larger than the limit takes all of it, and its correction no more than that', async () => {
    const { start } = clusterOn(await fixture.openMigrated())
    const [a, b] = await start('a', 'b')
    const owned = limitOf({ tokensPerMinute: 1_000 })
    const large = await permitOf(a, owned, 5_000)
    large?.end(1_000)
    await a?.settled()
    expect(await permitOf(b, owned, 10)).toBeUndefined()
  })

  test('a request that is given back counts nowhere', async () => {
    const { start, pass } = clusterOn(await fixture.openMigrated())
    const [a, b] = await start('a', 'b')
    const owned = limitOf({ requestsPerMinute: 1, tokensPerMinute: 10 })
    const first = await permitOf(a, owned, 10)
    first?.giveBack()
    first?.giveBack()
    await a?.settled()
    await pass(2 * freshMs)
    expect(await admitted([b as Replica, a as Replica], owned, 4, 10)).toBe(1)
  })

  test('places are free for the others when requests end, or when their replica is killed', async () => {
    const { start, pass } = clusterOn(await fixture.openMigrated())
    const [a, b] = await start('a', 'b')
    const owned = limitOf({ concurrentRequests: 3 })
    const held: (Permit | undefined)[] = []
    for (let count = 0; count < 4; count += 1) held.push(await permitOf(a, owned))
    expect(held.map((permit) => permit !== undefined)).toEqual([true, true, true, false])
    expect(await permitOf(b, owned)).toBeUndefined()
    // However long they run.
    await pass(2 * minuteMs)
    expect(await permitOf(b, owned)).toBeUndefined()
    held[0]?.end(1)
    await a?.settled()
    await pass(2 * freshMs)
    expect(await permitOf(b, owned)).toBeDefined()
    expect(await permitOf(b, owned)).toBeUndefined()
    await pass(12_000, [b as Replica])
    expect(await admitted([b as Replica], owned, 4)).toBe(2)
  })

  test('a place is free for the others without a pause', async () => {
    const { start, engine } = clusterOn(await fixture.openMigrated(), { paceMs: minuteMs })
    const [a, b] = await start('a', 'b')
    const owned = limitOf({ concurrentRequests: 1 })
    const held = await permitOf(a, owned)
    expect(await permitOf(b, owned)).toBeUndefined()
    held?.end(1)
    await eventually('no place is taken', async () => {
      const rows = await engine.db.selectFrom('rate_count').select('places').execute()
      return rows.every(({ places }) => places === '')
    })
  })

  test('places that another replica uses are never given away, however large the small limit is', async () => {
    const { start } = clusterOn(await fixture.openMigrated())
    const [a, b] = await start('a', 'b')
    const owned = limitOf({ concurrentRequests: 50 })
    const held = await permitOf(b, owned)
    expect(await admitted([a as Replica], owned, 60)).toBe(49)
    for (let count = 0; count < 10; count += 1) expect(await permitOf(b, owned)).toBeUndefined()
    held?.end(1)
    expect(await permitOf(b, owned)).toBeDefined()
    expect(await permitOf(b, owned)).toBeUndefined()
  })
})
