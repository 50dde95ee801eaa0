import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { patience } from '../../support/patience.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import { cleanUpAfterwards, startTollgate } from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

const replicas = ['a', 'b', 'c']

/** Each case has a key of its own. */
interface Case {
  readonly name: string
  readonly limit: number
  readonly requests: number
  /** Of a limit that is not very small, a tenth may begin before it is counted. */
  readonly above: number
  /** The process of each request, by its number. */
  to(index: number): number
}

const small = { limit: 20, requests: 200, above: 0 }
const cases: readonly Case[] = [
  { name: 'over-all-of-them', ...small, to: (index) => index % replicas.length },
  { name: 'at-one-of-them', ...small, to: () => 1 },
  {
    name: 'at-one-after-the-other',
    ...small,
    to: (index) => Math.floor((index * replicas.length) / small.requests),
  },
  { name: 'many-at-one-of-them', limit: 1_200, requests: 1_500, above: 120, to: () => 1 },
]
const keyOf = (name: string) => `key-${name}-0123456789abcdef`

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.stop())

/** Three processes share a small limit without a server for limits: as exactly as one process. */
async function race(databaseUrl: string | undefined): Promise<void> {
  const config = shopConfig(
    upstream.url,
    databaseUrl === undefined ? {} : { database: databaseUrl },
  )
  const { provision } = config as { provision: object }
  const keys = cases.map(({ name, limit }) => ({
    id: name,
    account: 'acme',
    name,
    value: keyOf(name),
    groups: ['default'],
    requestsPerMinute: limit,
  }))
  const workspace = makeWorkspace({ ...config, provision: { ...provision, keys } })
  const gateways = await Promise.all(
    replicas.map((name) => startTollgate(workspace, ['--replica', name, '--log-level', 'warn'])),
  )
  for (const { url } of gateways)
    await eventually('each knows the others', async () => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return text.includes(`tollgate_rate_limits_replicas ${replicas.length}\n`)
    })
  // Without an answer of the database within two seconds, a process uses less and says so.
  const isCounted = () =>
    gateways.every((gateway) => !gateway.stderr().includes('rate_limits_not_shared'))
  for (const { name, limit, requests, above, to } of cases) {
    const asked = upstream.requests.length
    const startedMs = performance.now()
    const statuses = await Promise.all(
      Array.from({ length: requests }, async (_, index) => {
        const response = await askShop(gateways[to(index)]?.url ?? '', { key: keyOf(name) })
        await response.text()
        return response.status
      }),
    )
    const admitted = statuses.filter((status) => status === 200).length
    // The limit comes back evenly.
    const more = Math.floor((performance.now() - startedMs) / (60_000 / limit))
    if (isCounted()) expect(admitted, name).toBeGreaterThanOrEqual(limit)
    else process.stdout.write(`${name}: the busy database counted too late, ${admitted} admitted\n`)
    expect(admitted, name).toBeLessThanOrEqual(limit + above + more)
    expect(upstream.requests.length - asked).toBe(admitted)
    expect(statuses.filter((status) => ![200, 429].includes(status))).toEqual([])
  }
  for (const each of gateways) each.signal('SIGTERM')
  expect(await Promise.all(gateways.map(({ exited }) => exited))).toEqual(replicas.map(() => 0))
}

describe('more requests than a limit over three processes without a server for limits', () => {
  const time = patience(120_000)
  test('SQLite', () => race(undefined), time)

  if (
    postgresServerUrl('process: a small limit of three processes on one Postgres') !== undefined
  ) {
    test(
      'Postgres',
      async () => {
        const database = await freshDatabase()
        try {
          await race(database.url)
        } finally {
          await database.drop()
        }
      },
      time,
    )
  }
})
