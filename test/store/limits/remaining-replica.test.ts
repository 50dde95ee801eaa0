import { describe, expect, test } from 'bun:test'
import type { Replica } from '../../support/limits/open-replica.ts'
import { admitted, clusterOn, limitOf, permitOf } from '../../support/limits/small-cluster.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

/* The other replicas end. The last one counts alone, and no longer asks the database. */

describe.each(sharedFixtures('remaining replica'))('a small limit on $kind', (fixture) => {
  async function open() {
    const cluster = clusterOn(await fixture.openMigrated())
    const { engine, pass } = cluster
    /** Stops a replica as a gateway does. */
    const stop = async (replica: Replica | undefined, id: string) => {
      await replica?.settled()
      await engine.db.updateTable('replica').set({ epoch: 2 }).where('id', '=', id).execute()
    }
    const rest = async (replica: Replica | undefined, ms: number) =>
      pass(ms, replica ? [replica] : [])
    return { ...cluster, stop, rest }
  }

  test('that others have used is not available again to the last replica', async () => {
    const { start, stop, rest } = await open()
    const [a, b] = await start('a', 'b')
    const [known, unknown] = [
      limitOf({ requestsPerMinute: 20 }),
      limitOf({ requestsPerMinute: 20 }, 'n'),
    ]
    // The last replica has a counter of the first limit only.
    expect(await admitted(a ? [a] : [], known, 1)).toBe(1)
    expect(await admitted(b ? [b] : [], known, 40)).toBe(19)
    expect(await admitted(b ? [b] : [], unknown, 40)).toBe(20)
    await stop(b, 'b')
    await rest(a, 1_000)
    expect(a?.shares.isCounting).toBe(false)
    for (const owned of [known, unknown]) expect(await admitted(a ? [a] : [], owned, 40)).toBe(0)
    // One request comes back every 3 s.
    await rest(a, 30_000)
    for (const owned of [known, unknown]) expect(await admitted(a ? [a] : [], owned, 40)).toBe(10)
  })

  test('tokens as well, and a limit that nobody has used is whole', async () => {
    const { start, stop, rest } = await open()
    const [a, b] = await start('a', 'b')
    const tokens = limitOf({ tokensPerMinute: 60_000 })
    expect(await permitOf(b, tokens, 60_000)).toBeDefined()
    await stop(b, 'b')
    await rest(a, 1_000)
    expect(await permitOf(a, tokens, 3_000)).toBeUndefined()
    const unused = limitOf({ requestsPerMinute: 20, tokensPerMinute: 60_000 }, 'unused')
    expect(await admitted(a ? [a] : [], unused, 40)).toBe(20)
  })

  test('of a replica that is replaced: the new one does not begin with the whole limit', async () => {
    const { start, stop, rest } = await open()
    const [a] = await start('a')
    const owned = limitOf({ requestsPerMinute: 20 })
    expect(await admitted(a ? [a] : [], owned, 20)).toBe(20)
    const [b] = await start('b')
    await stop(a, 'a')
    await rest(b, 1_000)
    // One request comes back every 3 s.
    expect(await admitted(b ? [b] : [], owned, 40)).toBeLessThanOrEqual(2)
    // It counts what it admits, also when another one comes.
    await rest(b, 60_000)
    expect(await admitted(b ? [b] : [], owned, 40)).toBe(20)
    const [c] = await start('c')
    expect(await admitted(c ? [c] : [], owned, 40)).toBeLessThanOrEqual(1)
  })
})

describe.each(sharedFixtures('silent database'))('a large limit on $kind', (fixture) => {
  test('that one replica has used alone is not available again after the database was silent', async () => {
    const { start, pass } = clusterOn(await fixture.openMigrated())
    const [a, b, c] = await start('a', 'b', 'c')
    const owned = limitOf({ requestsPerMinute: 12_000 })
    let sum = 0
    const ask = async (ms: number) => {
      for (let passedMs = 0; passedMs < ms; passedMs += 500) {
        sum += await admitted(a ? [a] : [], owned, 6_000)
        await pass(500)
      }
    }
    await ask(4_000)
    expect(sum).toBeGreaterThan(10_000)
    // Nobody reads or reports, so all use a tenth together.
    await pass(7_000, [])
    await ask(4_000)
    expect(a?.shares.partOf(owned.name, 'requests', 12_000)).toBeGreaterThan(6_000)
    sum += await admitted(
      [a, b, c].flatMap((each) => each ?? []),
      owned,
      24_000,
    )
    // 200 come back every second.
    expect(sum).toBeLessThanOrEqual(1.1 * 12_000 + 15 * 200)
  })
})
