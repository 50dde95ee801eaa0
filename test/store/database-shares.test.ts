import { describe, expect, test } from 'bun:test'
import { DatabaseShares } from '../../src/limits/database-shares.ts'
import { databaseNow } from '../../src/store/database-now.ts'
import { eventually } from '../support/eventually.ts'
import { keptFixtures } from './engine-fixture.ts'

const limit = 20
const readWithinMs = 1_000

describe.each(keptFixtures('shares'))('limits that replicas share on $kind', (fixture) => {
  async function open(names: readonly string[]) {
    const engine = await fixture.openMigrated()
    const errors: unknown[] = []
    for (const id of names)
      await engine.db
        .insertInto('replica')
        .values({ id, epoch: 1, seen_at: databaseNow(engine), lived_epoch: 1, settled_epoch: null })
        .execute()
    const all = names.map(
      (replica) =>
        new DatabaseShares({
          engine,
          replica,
          monotonicMs: () => performance.now(),
          isNeeded: () => true,
          onError: (error) => errors.push(error),
        }),
    )
    /** False if a process read so late that it uses an equal part until its next reading. */
    const sync = async () => {
      const beganMs = performance.now()
      await Promise.all(all.map((each) => each.sync()))
      return performance.now() - beganMs < readWithinMs
    }
    const parts = (kind: 'requests' | 'concurrent' = 'requests') =>
      all.map((each) => each.partOf('key:k', kind, limit))
    await sync()
    return { engine, all, sync, parts, errors }
  }
  const sumOf = (parts: readonly number[]) => parts.reduce((sum, part) => sum + part, 0)

  test('begin equal, follow the demand, and are never more than the limit together', async () => {
    const { all, sync, parts, errors } = await open(['a', 'b', 'c'])
    expect(parts()).toEqual([7, 7, 6])
    const [a, b] = all
    a?.note('key:k', 'requests', 500, performance.now())
    await eventually('one process has the limit', async () => {
      if (!(await sync())) return false
      expect(sumOf(parts())).toBeLessThanOrEqual(limit)
      return parts()[0] === limit
    })
    b?.note('key:k', 'requests', 500, performance.now())
    await eventually('two processes have halves', async () => {
      if (!(await sync())) return false
      expect(sumOf(parts())).toBeLessThanOrEqual(limit)
      return parts().join() === '10,10,0'
    })
    // Other limits are not affected.
    expect(parts('concurrent')).toEqual([7, 7, 6])
    expect(errors).toEqual([])
  })

  test('a process that is gone or has ended leaves its part to the others', async () => {
    const { engine, sync, parts } = await open(['a', 'b', 'c'])
    await engine.db.updateTable('replica').set({ epoch: 2 }).where('id', '=', 'c').execute()
    await engine.db.updateTable('replica').set({ seen_at: 5 }).where('id', '=', 'b').execute()
    await sync()
    expect(parts()[0]).toBe(limit)
  })

  test('a single process has everything and writes nothing', async () => {
    const { engine, all, sync, parts } = await open(['a'])
    const [a] = all
    expect(a?.isInUse(performance.now())).toBe(false)
    await sync()
    expect(parts()).toEqual([limit])
    expect(await engine.db.selectFrom('rate_demand').selectAll().execute()).toEqual([])
  })
})
