import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { readLedger } from '../../support/process/ledger-state.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  runHere,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

const callsEach = 100
const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
  upstream.script({}, { kind: 'lie-usage', usage })
})
afterAll(() => upstream.stop())

async function statusOf(gateway: TollgateProcess): Promise<number> {
  const response = await askShop(gateway.url)
  await response.text()
  return response.status
}

async function serveTogether(databaseUrl: string | undefined): Promise<void> {
  const extra = databaseUrl === undefined ? {} : { database: databaseUrl }
  const workspace = makeWorkspace(shopConfig(upstream.url, extra))
  // Both start on an empty database at the same moment: one of them creates the schema, and the other finds it.
  const both = await Promise.all([
    startTollgate(workspace, ['--replica', 'node-a', '--log-level', 'warn']),
    startTollgate(workspace, ['--replica', 'node-b', '--log-level', 'warn']),
  ])
  const answers = await Promise.all(
    both.flatMap(({ url }) =>
      Array.from({ length: callsEach }, async (_, index) => {
        const response = await askShop(url, { body: chatBody({ stream: index % 2 === 0 }) })
        await response.text()
        return { status: response.status, id: response.headers.get('x-request-id') ?? '' }
      }),
    ),
  )
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])

  expect((await runHere(workspace, ['keys', 'disable', 'k1'])).code).toBe(0)
  for (const each of both) {
    await eventually('the key stops', async () => (await statusOf(each)) === 401)
  }
  const asked = upstream.requests.length
  for (const each of both) expect(await statusOf(each)).toBe(401)
  expect(upstream.requests).toHaveLength(asked)
  expect((await runHere(workspace, ['keys', 'enable', 'k1'])).code).toBe(0)
  for (const each of both) {
    await eventually('the key works again', async () => (await statusOf(each)) === 200)
  }

  for (const each of both) each.signal('SIGTERM')
  for (const each of both) expect(await each.exited).toBe(0)
  const ledger = await readLedger(databaseUrl ?? `sqlite://${workspace.path('data/tollgate.db')}`)
  expect(ledger.imbalances).toEqual([])
  expect(answers.filter(({ id }) => !ledger.entries.has(id))).toEqual([])
  expect(ledger.entries.size).toBe(upstream.requests.length)
  expect(ledger.spentNano).toBe(BigInt(ledger.entries.size) * 350_000n)
  expect(ledger.availableNano).toBe(ledger.creditNano - ledger.spentNano)
  expect(ledger.creditNano).toBe(25_000_000_000n)
  upstream.reset()
  upstream.script({}, { kind: 'lie-usage', usage })
}

describe('two processes on one database', () => {
  test('SQLite', () => serveTogether(undefined))

  const name = 'process: two processes on one Postgres'
  if (postgresServerUrl(name) !== undefined) {
    test('Postgres', async () => {
      const database = await freshDatabase()
      try {
        await serveTogether(database.url)
      } finally {
        await database.drop()
      }
    })
  }
})
