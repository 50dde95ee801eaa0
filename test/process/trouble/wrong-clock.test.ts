import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openStore } from '../../../src/store/open-store.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { readLedger } from '../../support/process/ledger-state.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import { cleanUpAfterwards, startTollgate } from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

const dayMs = 86_400_000
const preload = join(import.meta.dirname, '..', '..', 'support', 'shift-clock.ts')

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.stop())

interface Life {
  readonly status: number
  readonly id: string
  readonly stderr: string
}

/** One life of a gateway on a machine whose clock is wrong by this much, with one request. */
async function live(workspace: Workspace, shiftMs: number): Promise<Life> {
  const env = {
    ...workspace.env,
    BUN_OPTIONS: `--preload=${preload}`,
    TEST_CLOCK_SHIFT_MS: String(shiftMs),
  }
  const gateway = await startTollgate({ ...workspace, env }, ['--replica', 'node-a'])
  const response = await askShop(gateway.url)
  await response.text()
  gateway.signal('SIGTERM')
  expect(await gateway.exited).toBe(0)
  const id = response.headers.get('x-request-id') ?? ''
  return { status: response.status, id, stderr: gateway.stderr() }
}

async function outlive(databaseUrl: string | undefined): Promise<void> {
  const extra = databaseUrl === undefined ? {} : { database: databaseUrl }
  const workspace = makeWorkspace(shopConfig(upstream.url, extra))
  const right = await live(workspace, 0)
  const back = await live(workspace, -dayMs)
  const again = await live(workspace, 0)
  expect([right, back, again].map(({ status }) => status)).toEqual([200, 200, 200])
  expect(right.stderr).not.toContain('clock_')
  expect(back.stderr).toContain('clock_behind')
  // The log is in the order of the requests.
  expect([right.id, back.id, again.id].sort()).toEqual([right.id, back.id, again.id])
  const ledger = await readLedger(databaseUrl ?? `sqlite://${workspace.path('data/tollgate.db')}`)
  expect(ledger.imbalances).toEqual([])
  expect(ledger.entries.size).toBe(3)
}

describe('a gateway whose clock was set back by a day still serves requests', () => {
  test('SQLite', () => outlive(undefined))

  const name = 'process: a wrong clock on Postgres'
  if (postgresServerUrl(name) !== undefined) {
    test('Postgres', async () => {
      const database = await freshDatabase()
      try {
        await outlive(database.url)
      } finally {
        await database.drop()
      }
    })
  }
})

test('a model that was first priced while the clock was ahead can be used after the clock is corrected', async () => {
  const name = 'process: a clock that was ahead, on Postgres'
  if (postgresServerUrl(name) === undefined) return
  const database = await freshDatabase()
  try {
    const workspace = makeWorkspace(shopConfig(upstream.url, { database: database.url }))
    const ahead = await live(workspace, dayMs)
    expect(ahead.status).toBe(200)
    expect(ahead.stderr).toMatch(/"event":"clock_ahead".*"seconds":86[34]\d\d/)
    // As if that gateway had never been seen: time begins at the true clock again.
    const engine = await openStore(database.url)
    await engine.db.updateTable('replica').set({ seen_at: 0 }).execute()
    await engine.close()
    const right = await live(workspace, 0)
    expect(right.stderr).not.toContain('clock_')
    expect(right.status).toBe(200)
  } finally {
    await database.drop()
  }
})
