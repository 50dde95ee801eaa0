import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { OwnedLimits } from '../../../src/core/limits/rate-limit.ts'
import { DatabaseShares } from '../../../src/limits/database-shares.ts'
import { LocalLimits, LocalPermit } from '../../../src/limits/local-limits.ts'
import { databaseNow } from '../../../src/store/rows/database-now.ts'
import { clockedEngine } from '../../support/limits/clocked-engine.ts'
import { patience } from '../../support/patience.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

const limit = 20
const name = 'key:k'
const goneMs = 15_000
/** An arbitrary time of the database. */
const databaseStartMs = 1_000_000_000
/** The part of a limit that all processes together may use that the others may not know. */
const tolerance = 0.1
/** Announce, read by all, and confirm. */
const roundsMax = 4

describe.each(sharedFixtures('shares'))('limits that replicas share on $kind', (fixture) => {
  async function open(names: readonly string[]) {
    // Time passes with each look at it, so that a slow machine makes no process late.
    let lookedMs = 1_000
    const look = () => {
      lookedMs += 1
      return lookedMs
    }
    const engine = clockedEngine(await fixture.openMigrated(), () => databaseStartMs + look())
    const errors: unknown[] = []
    /** The additional time that a process assumes to have passed since its start. */
    const asleepMs = new Map<string, number>()
    /** The limits of each process, for tests with requests. */
    const limits = new Map<string, LocalLimits>()
    let passedMs = 0
    const nowMs = () => look() + passedMs
    const passTime = (ms: number) => {
      passedMs += ms
    }
    const start = async (replica: string): Promise<DatabaseShares> => {
      await engine.db
        .insertInto('replica')
        .values({
          id: replica,
          epoch: 1,
          seen_at: databaseNow(engine),
          lived_epoch: 1,
          settled_epoch: null,
        })
        .execute()
      return new DatabaseShares({
        engine,
        replica,
        monotonicMs: nowMs,
        elapsedMs: () => look() + (asleepMs.get(replica) ?? 0),
        isNeeded: () => true,
        runningOf: (owner) => limits.get(replica)?.runningOf(owner) ?? 0,
        used: () => limits.get(replica)?.used() ?? [],
        onError: (error) => errors.push(error),
      })
    }
    const all: DatabaseShares[] = []
    for (const each of names) all.push(await start(each))
    /** All processes, or some, read and announce. */
    const sync = async (some: readonly DatabaseShares[] = all, rounds = roundsMax) => {
      for (let round = 0; round < rounds; round += 1) {
        await engine.db
          .updateTable('replica')
          .set({ seen_at: databaseNow(engine) })
          .execute()
        for (const each of some) await each.sync()
      }
    }
    const report = async (replica: string) => {
      const seen_at = databaseNow(engine)
      await engine.db.updateTable('replica').set({ seen_at }).where('id', '=', replica).execute()
    }
    /** Time passes in which no process reads; each has reported to the ledger. */
    const pause = async (ms: number) => {
      lookedMs += ms
      await engine.db
        .updateTable('replica')
        .set({ seen_at: databaseNow(engine) })
        .execute()
    }
    /** A process and the database have not heard of each other for a long time. */
    const lose = async (replica: string, index: number) => {
      await engine.db.updateTable('replica').set({ seen_at: 5 }).where('id', '=', replica).execute()
      asleepMs.set(replica, goneMs + 1_000)
      return all[index]
    }
    const partsOf = (of: number, kind: 'requests' | 'concurrent' = 'requests') =>
      all.map((each) => each.partOf(name, kind, of))
    const parts = (kind: 'requests' | 'concurrent' = 'requests') => partsOf(limit, kind)
    const want = (index: number, count: number) =>
      all[index]?.note(name, 'requests', count, nowMs())
    await sync()
    const shares = { start, sync, pause, report, lose, parts, partsOf, want }
    return { engine, all, ...shares, errors, limits, passTime, nowMs }
  }
  const sumOf = (parts: readonly number[]) => parts.reduce((sum, part) => sum + part, 0)

  test('begin equal, follow the demand, and are never more than the limit together', async () => {
    const { sync, parts, want, errors } = await open(['a', 'b', 'c'])
    expect(parts()).toEqual([7, 7, 6])
    want(0, 500)
    for (let round = 0; round < roundsMax; round += 1) {
      await sync(undefined, 1)
      expect(sumOf(parts())).toBeLessThanOrEqual(limit)
    }
    expect(parts()).toEqual([limit, 0, 0])
    want(1, 500)
    for (let round = 0; round < roundsMax; round += 1) {
      await sync(undefined, 1)
      expect(sumOf(parts())).toBeLessThanOrEqual(limit)
    }
    expect(parts()).toEqual([10, 10, 0])
    // Other limits are not affected.
    expect(parts('concurrent')).toEqual([7, 7, 6])
    expect(errors).toEqual([])
  })

  test('a process that is gone or has ended leaves its part to the others', async () => {
    const { engine, all, sync, parts } = await open(['a', 'b', 'c'])
    await engine.db.updateTable('replica').set({ epoch: 2 }).where('id', '=', 'c').execute()
    await engine.db.updateTable('replica').set({ seen_at: 5 }).where('id', '=', 'b').execute()
    await all[0]?.sync()
    expect(parts()[0]).toBe(limit)
    await sync(all.slice(0, 1), 1)
  })

  test('a single process has everything and writes nothing', async () => {
    const { engine, all, sync, parts } = await open(['a'])
    const [a] = all
    expect(a?.isInUse(1_000)).toBe(false)
    await sync()
    expect(parts()).toEqual([limit])
    expect(await engine.db.selectFrom('rate_demand').selectAll().execute()).toEqual([])
  })

  test('a limit below the number of replicas: the first replica that asks is served after a refusal, and no other', async () => {
    const names = ['a', 'b', 'c', 'd']
    const { all, sync, nowMs, passTime } = await open(names)
    const processes = all.map((shares) => new LocalLimits(nowMs, shares))
    const once: OwnedLimits = {
      owner: 'key',
      name,
      values: { requestsPerMinute: 1, tokensPerMinute: null, concurrentRequests: null },
    }
    const ask = (index: number) => processes[index]?.admit([once], 1) instanceof LocalPermit
    // The part of an unused limit belongs to the first replica.
    expect(ask(3)).toBe(false)
    await sync()
    expect(ask(3)).toBe(true)
    for (const index of [2, 1, 0, 3, 2, 1, 0]) {
      expect(ask(index)).toBe(false)
      await sync()
    }
    passTime(60_000)
    const admitted = names.filter((_, index) => ask(index))
    expect(admitted).toEqual(['a'])
  })

  test.each([0, 70_000])(
    'requests that run for long keep their places, also %d ms after the last of them has begun',
    async (quietMs) => {
      const names = ['a', 'b', 'c']
      const { all, sync, limits, passTime, nowMs } = await open(names)
      for (const [index, shares] of all.entries())
        limits.set(names[index] ?? '', new LocalLimits(nowMs, shares))
      const places = 100
      const values = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: places }
      const owned: OwnedLimits = { owner: 'key', name, values }
      let running = 0
      /** Begins requests that do not end, as many as possible. */
      const fill = async (replica: string) => {
        for (let round = 0; round < 40; round += 1) {
          while (limits.get(replica)?.admit([owned], 1) instanceof LocalPermit) running += 1
          passTime(500)
          await sync(undefined, 1)
        }
      }
      await fill('a')
      expect(running).toBeGreaterThanOrEqual(0.9 * places)
      passTime(quietMs)
      await sync()
      await fill('b')
      await fill('c')
      expect(running).toBeLessThanOrEqual((1 + tolerance) * places)
    },
  )

  const wide = 1_000
  const most = wide * (1 + tolerance)
  const counts = [2, 3, 8] as const
  const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `r${index}`)

  test.each(counts)(
    '%d replicas of which one reads late: it keeps its part, and nobody takes it',
    async (count) => {
      const { all, sync, partsOf, want } = await open(namesOf(count))
      want(0, 5_000)
      await sync()
      expect(partsOf(wide)[0]).toBe(wide)
      // From now on the first one reads nothing; the others want more.
      for (let index = 1; index < count; index += 1) {
        want(index, 5_000)
        await sync(all.slice(1), 2)
        expect(sumOf(partsOf(wide))).toBeLessThanOrEqual(wide)
      }
      expect(partsOf(wide)[0]).toBe(wide)
      await sync()
      expect(sumOf(partsOf(wide))).toBe(wide)
      expect(Math.max(...partsOf(wide))).toBeLessThanOrEqual(Math.ceil(wide / count))
    },
  )

  test.each(counts)(
    '%d replicas of which one is silent for so long that the others divide its part',
    async (count) => {
      const { all, sync, lose, partsOf, want } = await open(namesOf(count))
      for (let index = 0; index < count; index += 1) want(index, 5_000)
      await sync()
      await lose('r0', 0)
      for (let round = 0; round < roundsMax; round += 1) {
        for (const each of all.slice(1)) await each.sync()
        expect(sumOf(partsOf(wide))).toBeLessThanOrEqual(most)
      }
      expect(sumOf(partsOf(wide).slice(1))).toBe(wide)
      // The process comes back: the others must notice it before it uses its part.
      for (let round = 0; round < roundsMax; round += 1) {
        await sync(undefined, 1)
        expect(sumOf(partsOf(wide))).toBeLessThanOrEqual(most)
      }
      expect(sumOf(partsOf(wide))).toBe(wide)
      expect(partsOf(wide)[0]).toBeGreaterThan(0)
    },
  )

  test.each(counts)(
    '%d replicas that all read late: each keeps its part, then almost nothing',
    async (count) => {
      const { all, sync, lose, report, partsOf, want } = await open(namesOf(count))
      want(0, 5_000)
      await sync()
      want(1, 5_000)
      expect(partsOf(wide)).toEqual([wide, ...namesOf(count - 1).map(() => 0)])
      for (const [index, replica] of namesOf(count).entries()) await lose(replica, index)
      expect(sumOf(partsOf(wide))).toBeLessThanOrEqual(wide * tolerance)
      expect(partsOf(wide)[0]).toBe(Math.floor((wide * tolerance) / count))
      // The database is back, and the processes report to the ledger one after the other.
      for (const each of all) await each.sync()
      expect(sumOf(partsOf(wide))).toBeLessThanOrEqual(wide * tolerance)
      for (const replica of namesOf(count)) {
        await report(replica)
        for (const each of all) await each.sync()
        expect(sumOf(partsOf(wide))).toBeLessThanOrEqual(most)
      }
      await sync(undefined, 2 * roundsMax)
      expect(sumOf(partsOf(wide))).toBe(wide)
    },
  )

  test('a replica that joins uses almost nothing until the others know of it', async () => {
    const { all, start, sync, partsOf, want, nowMs } = await open(['a', 'b'])
    want(0, 5_000)
    await sync()
    const late = await start('c')
    all.push(late)
    late.note(name, 'requests', 5_000, nowMs())
    for (let round = 0; round < roundsMax; round += 1) {
      await late.sync()
      expect(sumOf(partsOf(wide))).toBeLessThanOrEqual(most)
    }
    expect(late.replicas).toBe(1)
    await sync(undefined, 2 * roundsMax)
    expect(late.replicas).toBe(3)
    expect(partsOf(wide)).toEqual([500, 0, 500])
  })

  test(
    'in any order of reads, pauses, demands and joins: never more than the limit plus a tenth',
    async () => {
      const step = fc.oneof(
        { weight: 4, arbitrary: fc.record({ sync: fc.nat(4) }) },
        { weight: 2, arbitrary: fc.record({ want: fc.nat(4), count: fc.nat(2_000) }) },
        { weight: 1, arbitrary: fc.record({ pauseMs: fc.integer({ min: 100, max: 6_000 }) }) },
        { weight: 1, arbitrary: fc.record({ together: fc.array(fc.nat(4), { maxLength: 5 }) }) },
      )
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 4 }),
          fc.array(step, { minLength: 20, maxLength: 50 }),
          async (count, steps) => {
            const { engine, all, start, pause, partsOf, errors, want } = await open(namesOf(count))
            for (const [index, each] of steps.entries()) {
              if (index === 15) {
                const joined = await start('joined')
                // A gateway serves no requests before this.
                await joined.sync()
                all.push(joined)
              }
              if ('sync' in each) await all[each.sync % all.length]?.sync()
              else if ('pauseMs' in each) await pause(each.pauseMs)
              else if ('want' in each) want(each.want % all.length, each.count)
              else await Promise.all(each.together.map(async (at) => all[at % all.length]?.sync()))
              expect(sumOf(partsOf(wide))).toBeLessThanOrEqual(most)
            }
            expect(errors).toEqual([])
            for (const table of ['rate_demand', 'replica'] as const)
              await engine.db.deleteFrom(table).execute()
          },
        ),
        { numRuns: 10 },
      )
    },
    patience(60_000),
  )
})
