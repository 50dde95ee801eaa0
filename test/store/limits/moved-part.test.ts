import { describe, expect, test } from 'bun:test'
import type { Replica } from '../../support/limits/open-replica.ts'
import { admitted, clusterOn, limitOf } from '../../support/limits/small-cluster.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

/* A replica has used a limit that replicas divide. The others get their first requests with it. */

const limit = 12_000
const perSecond = limit / 60

describe.each(sharedFixtures('moved part'))('a large limit on $kind', (fixture) => {
  test.each([
    { names: ['a', 'b'], isKilled: false, afterMs: 1_000 },
    { names: ['a', 'b'], isKilled: false, afterMs: 5_000 },
    { names: ['a', 'b'], isKilled: false, afterMs: 20_000 },
    { names: ['a', 'b', 'c'], isKilled: false, afterMs: 10_000 },
    { names: ['a', 'b'], isKilled: true, afterMs: 7_000 },
    { names: ['a', 'b', 'c'], isKilled: true, afterMs: 7_000 },
    { names: ['a', 'b', 'c'], isKilled: true, afterMs: 20_000 },
  ])(
    'first requests at the others of $names, $afterMs ms later, killed: $isKilled',
    async ({ names, isKilled, afterMs }) => {
      const { start, pass, lose } = clusterOn(await fixture.openMigrated())
      const [b, ...others] = (await start(...names)).toReversed()
      const owned = limitOf({ requestsPerMinute: limit })
      const ask = (...of: (Replica | undefined)[]) =>
        admitted(
          of.flatMap((each) => each ?? []),
          owned,
          2 * limit,
        )
      let sum = 0
      for (let rounds = 0; rounds < 6; rounds += 1) {
        sum += await ask(b)
        await pass(500)
      }
      expect(sum).toBeGreaterThan(0.9 * limit)
      if (isKilled) lose(names.at(-1) ?? '')
      await pass(afterMs, isKilled ? others : undefined)
      sum += await ask(...others)
      expect(sum).toBeLessThanOrEqual(1.1 * limit + perSecond * (3 + afterMs / 1_000))
    },
  )

  test('a limit that the others use a little: its share is there at the first request', async () => {
    const { start, pass } = clusterOn(await fixture.openMigrated())
    const [a, b] = await start('a', 'b')
    const owned = limitOf({ requestsPerMinute: limit })
    expect(await admitted(b ? [b] : [], owned, 100)).toBe(100)
    await pass(2_000)
    expect(await admitted(a ? [a] : [], owned, limit)).toBe(limit / 2)
  })
})
