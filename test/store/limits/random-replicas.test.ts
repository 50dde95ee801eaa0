import { describe, expect, test } from 'bun:test'
import { mostUsed } from '../../support/limits/random-cluster.ts'
import { patience } from '../../support/patience.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

/* Whenever replicas start, end or are killed, and wherever requests arrive: no more than the limit and a tenth. */

const seeds = [3, 4, 5, 6, 7, 11]
/** Each of these exceeded a limit by 20 to 70 % once. */
const lossSeeds = [8, 15, 22, 26, 27]
const forMs = 90_000
/** Small limits, which the database counts, and one that replicas divide. */
const limits = [3, 60, 600, 9_000]
const smallLimits = [3, 17, 60, 600]

describe.each(sharedFixtures('random replicas').slice(0, 1))('random replicas', (fixture) => {
  test.each(seeds)(
    'together stay within limits and a tenth, seed %d',
    async (seed) => {
      const engine = await fixture.openMigrated()
      const places = seed % 2 === 0 ? 10 : 80
      const most = await mostUsed(engine, { seed, forMs, limits, places })
      for (const [index, limit] of [...limits, places].entries())
        expect(most[index], `of ${limit}`).toBeLessThanOrEqual(1.1 + 1 / limit)
    },
    patience(60_000),
  )

  test.each(lossSeeds)(
    'together stay within small limits and a tenth while they lose the database and come back, seed %d',
    async (seed) => {
      const engine = await fixture.openMigrated()
      const how = { seed, forMs, limits: smallLimits, places: 10, hasLosses: true }
      const most = await mostUsed(engine, how)
      for (const [index, limit] of [...smallLimits, how.places].entries())
        expect(most[index], `of ${limit}`).toBeLessThanOrEqual(1.1 + 1 / limit)
    },
    patience(60_000),
  )
})
