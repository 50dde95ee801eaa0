import { describe, expect, test } from 'bun:test'
import { countWaits } from '../../../src/limits/database-counts.ts'
import type { Permit } from '../../../src/limits/limiter.ts'
import { openReplica, type Replica } from '../../support/limits/open-replica.ts'
import { admitted, clusterOn, limitOf, permitOf } from '../../support/limits/small-cluster.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

/* Small limits while the database does not count them, before, and afterwards. */

const minuteMs = 60_000
/** The counts of a refusal are asked for again after this time. */
const freshMs = 250

describe.each(sharedFixtures('uncounted limits'))(
  'a small limit that is not counted on $kind',
  (fixture) => {
    test('what a replica has used alone, and still runs, counts when another one starts', async () => {
      const { start, engine } = clusterOn(await fixture.openMigrated())
      const [a] = await start('a')
      const [rate, places] = [
        limitOf({ requestsPerMinute: 10 }),
        limitOf({ concurrentRequests: 5 }, 'p'),
      ]
      expect(await admitted([a as Replica], rate, 10)).toBe(10)
      expect(await admitted([a as Replica], places, 4)).toBe(4)
      expect(await engine.db.selectFrom('rate_count').selectAll().execute()).toEqual([])
      const [b] = await start('b')
      await a?.settled()
      // One request comes back every 6 s, and the start took 3 s.
      expect(await admitted([b as Replica], rate, 10)).toBe(0)
      expect(await admitted([b as Replica], places, 10)).toBe(1)
    })

    test('what a replica has admitted alone is corrected when it ends', async () => {
      const { start, pass } = clusterOn(await fixture.openMigrated())
      const [a] = await start('a')
      const owned = limitOf({ tokensPerMinute: 1_000, concurrentRequests: 1 })
      const running = await permitOf(a, owned, 900)
      const [b] = await start('b')
      await a?.settled()
      expect(await permitOf(b, owned)).toBeUndefined()
      running?.end(100)
      await a?.settled()
      await pass(2 * freshMs)
      expect(await permitOf(b, owned, 900)).toBeDefined()
    })

    test('of a request that was larger than the part of a replica, only what it had counted is corrected', async () => {
      const { start, pass } = clusterOn(await fixture.openMigrated())
      const [a, b] = await start('a', 'b')
      const owned = limitOf({ tokensPerMinute: 10_000 })
      // Each loss doubles the pause, up to a minute.
      for (let losses = 0; losses < 5; losses += 1) a?.shares.loseCounts()
      await pass(59_000)
      const running = await permitOf(a, owned, 9_000)
      await pass(5_500)
      expect([a?.shares.isCounting, b?.shares.isCounting]).toEqual([true, true])
      running?.end(4_000)
      await a?.settled()
      // Of 4,000 tokens about 800 have come back.
      expect(await permitOf(b, owned, 8_000)).toBeUndefined()
      expect(await permitOf(b, owned, 6_000)).toBeDefined()
    })

    test('while a replica of a former version runs, none uses more than its share', async () => {
      const { start, pass, engine } = clusterOn(await fixture.openMigrated())
      const [a, b] = await start('a', 'b')
      const former = await openReplica(engine, 'c', { nowMs: () => 1_000, isCounting: false })
      await former.shares.sync()
      await pass(2_000)
      expect([a?.shares.isCounting, b?.shares.isCounting]).toEqual([false, false])
    })

    test('while the database does not count, all use a tenth, then their shares, and then count what they have admitted', async () => {
      const lost: unknown[] = []
      const { start, pass, engine } = clusterOn(await fixture.openMigrated(), {
        onLost: (error) => lost.push(error),
      })
      const replicas = await start('a', 'b')
      const owned = limitOf({ requestsPerMinute: 20 })
      expect(await admitted(replicas, owned, 4)).toBe(4)
      await engine.db.schema.alterTable('rate_count').renameTo('rate_count_away').execute()
      // Each does not know whether the other one uses all that is left.
      expect(await admitted(replicas, owned, 40)).toBe(2)
      expect(lost.length).toBeGreaterThan(0)
      await pass(2_000)
      expect(replicas.map(({ shares }) => shares.isCounting)).toEqual([false, false])
      const parts = replicas.map(({ shares }) => shares.partOf(owned.name, 'requests', 20))
      expect(parts).toEqual([10, 10])
      // The shares begin with what is left of the tenth.
      expect(await admitted(replicas, owned, 40)).toBe(0)
      let again = 0
      for (let passedMs = 0; passedMs < minuteMs; passedMs += 4_000) {
        await pass(4_000)
        again += await admitted(replicas, owned, 40)
      }
      expect(again).toBeGreaterThanOrEqual(16)
      expect(again).toBeLessThanOrEqual(20)
      await engine.db.schema.alterTable('rate_count_away').renameTo('rate_count').execute()
      await pass(20_000)
      expect(replicas.map(({ shares }) => shares.isCounting)).toEqual([true, true])
      for (const { settled } of replicas) await settled()
      // One request comes back every 3 s, and a tenth may begin before it is counted.
      expect(await admitted(replicas, owned, 40)).toBeLessThanOrEqual(7 + 2)
    })

    test.each([
      { before: 'all of the shares', used: { requests: 42, places: 6 }, isLast: false },
      { before: 'nothing', used: { requests: 0, places: 0 }, isLast: false },
      { before: 'nothing until one counts', used: { requests: 0, places: 0 }, isLast: true },
    ])(
      'replicas that begin to count again one after the other, after $before was used, do not exceed the limit',
      async ({ used, isLast }) => {
        const { start, pass } = clusterOn(await fixture.openMigrated())
        const replicas = await start('a', 'b', 'c')
        const rate = limitOf({ requestsPerMinute: 60 })
        const places = limitOf({ concurrentRequests: 6 }, 'p')
        replicas[0]?.shares.loseCounts()
        await pass(1_500)
        let sum = await admitted(replicas, rate, used.requests * 5)
        let running = await admitted(replicas, places, used.places * 5)
        // The share of the first replica begins with a tenth.
        expect([sum, running]).toEqual([used.requests, used.places])
        for (let passedMs = 0; passedMs < 8_000; passedMs += 500) {
          await pass(500, [])
          for (const each of replicas) {
            await each.shares.sync()
            if (isLast && !replicas.some(({ shares }) => shares.isCounting)) continue
            for (const one of isLast ? [each, ...replicas] : [each]) {
              sum += await admitted([one], rate, 60)
              running += await admitted([one], places, 6)
            }
          }
        }
        expect(replicas.map(({ shares }) => shares.isCounting)).toEqual([true, true, true])
        // One request comes back every second, and a tenth may begin before it is counted.
        expect(sum).toBeLessThanOrEqual(60 + 8 + 6)
        expect(sum).toBeGreaterThanOrEqual(60)
        expect(running).toBe(6)
      },
    )

    test('requests that begin or end while the replicas begin to count are counted once', async () => {
      const { start, pass, engine } = clusterOn(await fixture.openMigrated())
      const replicas = await start('a', 'b')
      const [a, b] = replicas
      const owned = limitOf({ tokensPerMinute: 60_000 })
      a?.shares.loseCounts()
      await pass(1_500)
      const early = [await permitOf(a, owned, 2_000), await permitOf(b, owned, 6_000)]
      await pass(3_500, [])
      const late: (Permit | undefined)[] = []
      for (let rounds = 0; rounds < 6; rounds += 1)
        for (const each of replicas) {
          if (each.shares.isTold && !each.shares.isCounting)
            late.push(await permitOf(each, owned, 6_000))
          await each.shares.sync()
        }
      expect(late.length).toBeGreaterThan(0)
      expect(replicas.map(({ shares }) => shares.isCounting)).toEqual([true, true])
      early[0]?.end(1_000)
      early[1]?.end(4_000)
      for (const permit of late) permit?.end(3_000)
      for (const { settled } of replicas) await settled()
      const row = await engine.db
        .selectFrom('rate_count')
        .select('tokens_left_ms')
        .executeTakeFirstOrThrow()
      // The first one is counted now, the second one was counted 3.5 s before.
      const corrections = 1_000 - 2_000 + (4_000 - 6_000)
      const counted = 2_000 + (6_000 - 3_500)
      expect(row.tokens_left_ms).toBeCloseTo(late.length * 3_000 + counted + corrections, 0)
    })

    test('a queue of counts that is full drops a correction, and the database continues to count', async () => {
      const { start } = clusterOn(await fixture.openMigrated())
      const [a] = await start('a', 'b')
      const owned = limitOf({ tokensPerMinute: 1_000 })
      const running = await permitOf(a, owned, 10)
      for (let waiting = 0; waiting < 10_000; waiting += 1) void a?.limiter.admit([owned], 0)
      running?.end(0)
      await a?.settled()
      expect(a?.shares.isCounting).toBe(true)
    })

    test('if the database does not count for one replica, none counts until it does', async () => {
      const { start, pass } = clusterOn(await fixture.openMigrated())
      const replicas = await start('a', 'b', 'c')
      const counting = () => replicas.map(({ shares }) => shares.isCounting)
      replicas[0]?.shares.loseCounts()
      await pass(1_000)
      expect(counting()).toEqual([false, false, false])
      await pass(3_500)
      expect(counting()).toEqual([false, false, false])
      await pass(1_500)
      expect(counting()).toEqual([true, true, true])
    })

    test('a database that does not count in time is not waited for', async () => {
      const lost: unknown[] = []
      const { start, engine } = clusterOn(await fixture.openMigrated(), {
        onLost: (error) => lost.push(error),
      })
      const replicas = await start('a', 'b')
      const owned = limitOf({ requestsPerMinute: 20 })
      expect(await admitted(replicas, owned, 2)).toBe(2)
      const usualMs = countWaits.answerMs
      const [locked, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const holding = engine.db.transaction().execute(async (tx) => {
        await tx.updateTable('rate_count').set({ places: '' }).execute()
        locked.resolve()
        await free.promise
      })
      await locked.promise
      try {
        countWaits.answerMs = 20
        // Each has its part of a tenth.
        expect(await admitted(replicas, owned, 40)).toBe(2)
        expect(lost.map(String)).toEqual(
          replicas.map(() => 'Error: the database did not count within 0.02 s'),
        )
      } finally {
        countWaits.answerMs = usualMs
        free.resolve()
        await holding
        for (const { settled } of replicas) await settled()
      }
      // They were decided without the database, and are not counted a second time when it goes on.
      const counts = engine.db.selectFrom('rate_count').select('requests_left_ms')
      expect(await counts.executeTakeFirst()).toEqual({ requests_left_ms: (2 * minuteMs) / 20 })
    })
  },
)
