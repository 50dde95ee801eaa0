import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { patience } from '../../support/patience.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { askShop, shopConfig, shopKey } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

/** A large limit, of which each process has a share. */
const limit = 900
/** The exchange of shares, and one request of an equal share. */
const retrySecondsMax = 3

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.stop())

/** The requests of one key go to one of three processes, which is killed, then to another one. */
async function moveLoad(databaseUrl: string | undefined): Promise<void> {
  const extra = databaseUrl === undefined ? {} : { database: databaseUrl }
  const config = shopConfig(upstream.url, extra)
  const { provision } = config as { provision: object }
  const key = { id: 'k1', account: 'acme', name: 'laptop', value: shopKey, groups: ['default'] }
  const keys = [{ ...key, requestsPerMinute: limit }]
  const workspace = makeWorkspace({ ...config, provision: { ...provision, keys } })
  const [first, second] = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      startTollgate(workspace, ['--replica', name, '--log-level', 'warn']),
    ),
  )
  if (!first || !second) throw new Error('no process')
  const startedMs = performance.now()
  let admittedSum = 0
  /** Asks one process until it has admitted this many. */
  const use = async (gateway: TollgateProcess, wanted: number) => {
    let admitted = 0
    await eventually(`${wanted} requests are admitted`, async () => {
      const responses = await Promise.all(Array.from({ length: 10 }, () => askShop(gateway.url)))
      for (const response of responses) {
        await response.text()
        expect([200, 429]).toContain(response.status)
        if (response.status === 200) admitted += 1
        else
          expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(retrySecondsMax)
      }
      return admitted >= wanted
    })
    admittedSum += admitted
  }
  await use(first, limit / 3 + 30)
  first.signal('SIGKILL')
  await first.exited
  await use(second, 30)
  const minutes = (performance.now() - startedMs) / 60_000
  expect(admittedSum).toBeLessThanOrEqual(1.1 * limit * (1 + minutes))
  expect(upstream.requests.length).toBe(admittedSum)
  upstream.reset()
}

describe('a limit of three processes, of which the one with the requests is killed', () => {
  const time = patience(120_000)
  test('SQLite', () => moveLoad(undefined), time)

  if (postgresServerUrl('process: limits of three processes on one Postgres') !== undefined) {
    test(
      'Postgres',
      async () => {
        const database = await freshDatabase()
        try {
          await moveLoad(database.url)
        } finally {
          await database.drop()
        }
      },
      time,
    )
  }
})
