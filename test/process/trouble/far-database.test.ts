import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { patience } from '../../support/patience.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { startDatabaseProxy } from '../../support/postgres/start-database-proxy.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  runHere,
  startTollgate,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

/** Long enough that everything that is sent together counts as one round trip. */
const tripMs = 40

/**
 * Sequential round trips to the database. At 250 ms each, a later start waits for about 4 s. The first start creates
 * every row, with a few statements for each group, upstream, account, user and key, and runs each migration.
 */
const limits = { first: 75, later: 22 }
/** The later starts of a case. */
const startsMax = 5

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.stop())

interface Case {
  readonly name: string
  config(databaseUrl: string): object
  /** The maximum number of round trips of the first start. */
  readonly firstMost: number
}

/** Many resources of each kind: a later start must not query each of them. */
function largeConfig(databaseUrl: string): object {
  const shop = shopConfig(upstream.url, { database: databaseUrl }) as {
    provision: { models: object[]; accounts: object[]; keys: object[] }
  }
  const { models, accounts, keys } = shop.provision
  for (let number = 0; number < 8; number += 1) {
    models.push({ id: `m-${number}`, price: { input: 1, output: 2 } })
    accounts.push({ id: `a-${number}`, name: `A ${number}`, credit: 1 })
    keys.push({ id: `k-${number}`, account: `a-${number}`, name: 'k', groups: ['default'] })
  }
  return shop
}

const cases: readonly Case[] = [
  { name: 'nothing configured', config: (database) => ({ database }), firstMost: limits.first },
  {
    name: 'a shop',
    config: (database) => shopConfig(upstream.url, { database }),
    firstMost: limits.first,
  },
  { name: 'a large file', config: largeConfig, firstMost: Number.POSITIVE_INFINITY },
]

const name = 'process: a database that is far away'
if (postgresServerUrl(name) !== undefined) {
  describe(name, () => {
    test.each(cases)(
      '$name: a start needs few round trips to the database',
      async ({ config, firstMost }) => {
        const database = await freshDatabase({ isEmpty: true })
        const proxy = await startDatabaseProxy(database.url, { tripMs })
        const workspace = makeWorkspace(config(proxy.url))
        const tripsOf = async (): Promise<number> => {
          const before = proxy.roundTrips()
          const gateway = await startTollgate(workspace, ['--replica', 'node-a'])
          const count = proxy.roundTrips() - before
          expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
          gateway.signal('SIGTERM')
          expect(await gateway.exited).toBe(0)
          return count
        }
        const first = await tripsOf()
        // On a slow machine, work that is repeated by a timer falls into a start: the least number is that of the start.
        const later = [await tripsOf()]
        while (Math.min(...later) > limits.later && later.length < startsMax)
          later.push(await tripsOf())
        process.stdout.write(
          `FIGURES: round trips, ${config.name}: ${first}, then ${later.join(', ')}\n`,
        )
        expect(first).toBeLessThanOrEqual(firstMost)
        expect(Math.min(...later)).toBeLessThanOrEqual(limits.later)
        await proxy.stop()
        await database.drop()
      },
      patience(120_000),
    )

    test('a start applies the file again to resources changed in the meantime', async () => {
      const database = await freshDatabase({ isEmpty: true })
      const workspace = makeWorkspace(shopConfig(upstream.url, { database: database.url }))
      const statusOf = async (): Promise<number> => {
        const gateway = await startTollgate(workspace, ['--replica', 'node-a'])
        const response = await askShop(gateway.url)
        await response.text()
        gateway.signal('SIGTERM')
        expect(await gateway.exited).toBe(0)
        return response.status
      }
      expect(await statusOf()).toBe(200)
      expect((await runHere(workspace, ['keys', 'disable', 'k1'])).code).toBe(0)
      expect(await statusOf()).toBe(200)
      // Spending is no reason to apply the file again, and is not lost.
      expect(await statusOf()).toBe(200)
      await database.drop()
    })
  })
}
