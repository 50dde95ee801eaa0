import { describe, expect, test } from 'bun:test'
import { admitted, clusterOn, limitOf } from '../../support/limits/small-cluster.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

/* A replica joins one that has used a limit which is too large to be counted in the database. */

const limit = 12_000
/** What comes back while the replicas learn of each other. */
const joinSeconds = 3
const back = (limit / 60) * joinSeconds

describe.each(sharedFixtures('joining replica'))('a large limit on $kind', (fixture) => {
  test.each([
    ['all', limit, 0],
    ['three quarters', 9_000, 3_000],
    ['half', 6_000, 6_000],
    ['a quarter', 3_000, 9_000],
  ])(
    'a replica that joins one which has used %s of it does not begin with its share',
    async (_, used, left) => {
      const { start } = clusterOn(await fixture.openMigrated())
      const owned = limitOf({ requestsPerMinute: limit })
      const [a] = await start('a')
      if (!a) throw new Error('no replica')
      expect(await admitted([a], owned, used)).toBe(used)
      const [b] = await start('b')
      if (!b) throw new Error('no replica')
      const more = await admitted([b, a], owned, 2 * limit)
      expect(more).toBeLessThanOrEqual(left + back)
      expect(more).toBeGreaterThanOrEqual(left * 0.9)
    },
  )

  test('tokens as well', async () => {
    const { start } = clusterOn(await fixture.openMigrated())
    const owned = limitOf({ tokensPerMinute: 12_000_000 })
    const [a] = await start('a')
    expect(await admitted(a ? [a] : [], owned, 1_200, 10_000)).toBe(1_200)
    const [b] = await start('b')
    expect(await admitted(b ? [b] : [], owned, 1_200, 10_000)).toBeLessThanOrEqual(60)
  })

  test('begins with its share of a limit that nobody has used', async () => {
    const { start } = clusterOn(await fixture.openMigrated())
    const [a] = await start('a')
    expect(await admitted(a ? [a] : [], limitOf({ requestsPerMinute: limit }), limit)).toBe(limit)
    const [b] = await start('b')
    const unused = limitOf({ requestsPerMinute: limit }, 'other')
    expect(await admitted(b ? [b] : [], unused, limit)).toBe(limit / 2)
  })
})
