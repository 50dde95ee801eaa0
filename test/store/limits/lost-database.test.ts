import { describe, expect, test } from 'bun:test'
import { openReplica, type Replica } from '../../support/limits/open-replica.ts'
import { admitted, clusterOn, limitOf } from '../../support/limits/small-cluster.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

/* Replicas lose the database and come back, each at another moment. */

const limit = 60
const most = 1.1 * limit
const minuteMs = 60_000
/** A replica without the database is gone for the others after this time. */
const goneMs = 6_000

describe.each(sharedFixtures('lost database'))('a small limit on $kind', (fixture) => {
  async function open(...names: readonly string[]) {
    const cluster = clusterOn(await fixture.openMigrated())
    const replicas = await cluster.start(...names)
    const owned = limitOf({ requestsPerMinute: limit })
    const ask = (...of: (Replica | undefined)[]) =>
      admitted(
        of.flatMap((each) => each ?? []),
        owned,
        of.length * 2 * limit,
      )
    return { ...cluster, replicas, ask }
  }

  test('a replica that alone loses the database uses its part of a tenth, from the first moment', async () => {
    const { lose, pass, replicas, ask } = await open('a', 'b')
    const [a, b] = replicas
    lose('b')
    let sum = await ask(b)
    sum += await ask(a)
    expect(sum).toBeGreaterThanOrEqual(limit)
    expect(sum).toBeLessThanOrEqual(most)
    await pass(2_000)
    sum += await ask(b, a)
    await pass(goneMs)
    sum += await ask(b, a)
    // One request comes back every second.
    expect(sum).toBeLessThanOrEqual(most + 1.1 * 8)
  })

  test.each([
    ['all, and c is lost again', [], ['c']],
    ['a, then b', ['b', 'c'], ['c']],
    ['a, then c', ['b', 'c'], ['b']],
  ])(
    'the database is back for %s: none uses again what another one has used',
    async (_, first, then) => {
      const { lose, pass, replicas, ask } = await open('a', 'b', 'c')
      lose('a', 'b', 'c')
      let sum = await ask(...replicas)
      await pass(2_000)
      sum += await ask(...replicas)
      for (const lost of [first, then, []]) {
        lose(...lost)
        await pass(goneMs)
        sum += await ask(...replicas)
      }
      expect(sum).toBeGreaterThanOrEqual(limit / 3)
      expect(sum).toBeLessThanOrEqual(most + 1.1 * 20)
    },
  )

  test('a replica that came back alone does not keep the whole limit when it loses the database again', async () => {
    const { lose, pass, replicas, ask } = await open('a', 'b')
    const [a, b] = replicas
    lose('a', 'b')
    await pass(20_000)
    lose('b')
    await pass(goneMs)
    expect(a?.shares.partOf('key:k', 'requests', limit)).toBe(limit)
    lose('a', 'b')
    await pass(goneMs)
    lose('a')
    await pass(16_000)
    const sum = (await ask(a)) + (await ask(b))
    expect(sum).toBeGreaterThanOrEqual(limit)
    expect(sum).toBeLessThanOrEqual(most)
  })

  test.each([
    ['that was stopped', true, goneMs, limit],
    ['that was lost', false, goneMs, 3],
    ['that was lost, after five minutes', false, 5 * minuteMs + goneMs, limit],
  ])(
    'without the database, the last replica beside one %s',
    async (_, isStopped, afterMs, part) => {
      const { engine, lose, pass, replicas, ask } = await open('a', 'b')
      const [a, b] = replicas
      await b?.settled()
      if (isStopped)
        await engine.db.updateTable('replica').set({ epoch: 2 }).where('id', '=', 'b').execute()
      lose('b')
      await pass(afterMs, a ? [a] : [])
      expect(a?.shares.partOf('key:k', 'requests', limit)).toBe(limit)
      lose('a', 'b')
      await pass(goneMs)
      expect(await ask(a)).toBe(part)
    },
  )

  test('a replica that has not read the database since its start uses a part of a tenth', async () => {
    const { engine } = await open('a')
    const b = await openReplica(engine, 'b', { nowMs: () => 1_000, isCounting: true })
    expect(await admitted([b], limitOf({ requestsPerMinute: limit }), limit)).toBe(3)
  })

  test('of a replica that is killed: what the database has counted is not available again', async () => {
    const { lose, pass, replicas, ask } = await open('a', 'b')
    const [a, b] = replicas
    expect(await ask(b)).toBe(limit)
    await b?.settled()
    lose('b')
    await pass(goneMs, a ? [a] : [])
    // One request comes back every second.
    expect(await ask(a)).toBeLessThanOrEqual(goneMs / 1_000)
  })

  test('what a replica has used without the database before it is killed counts for a minute, and not longer', async () => {
    const { lose, pass, replicas, ask } = await open('a', 'b', 'c')
    const [a, b, c] = replicas
    c?.shares.loseCounts()
    // The others know it, so it uses its part, which begins with a tenth.
    await pass(2_000)
    let sum = await ask(c)
    expect(sum).toBe(2)
    lose('c')
    await pass(goneMs)
    expect([a, b].map((each) => each?.shares.isCounting)).toEqual([false, false])
    sum += await ask(a, b)
    expect(sum).toBeGreaterThanOrEqual(limit / 2)
    expect(sum).toBeLessThanOrEqual(most)
    await pass(1.5 * minuteMs)
    expect([a, b].map((each) => each?.shares.isCounting)).toEqual([true, true])
    expect(await ask(a)).toBe(limit)
  })

  test('the replicas that remain use the whole limit a minute after the others were lost, with and without companions', async () => {
    const { lose, pass, replicas, ask } = await open('a', 'b', 'c')
    const [a, b] = replicas
    lose('a', 'b', 'c')
    await ask(...replicas)
    await pass(goneMs)
    lose('c')
    await pass(minuteMs)
    expect(await ask(a, b)).toBe(limit)
    lose('b', 'c')
    await pass(minuteMs)
    expect(await ask(a)).toBe(limit)
  })
})
