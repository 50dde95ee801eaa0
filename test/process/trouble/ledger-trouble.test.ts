import { Database } from 'bun:sqlite'
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { openStore } from '../../../src/store/open-store.ts'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { chunk, roleChunk } from '../../support/gateway/chat-events.ts'
import { readStream } from '../../support/gateway/stream-reader.ts'
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
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
const costNano = 350_000n
const flags = ['--replica', 'node-a', '--log-level', 'warn']

const upstream: FakeUpstream = await startFakeUpstream()
const drops: (() => Promise<void>)[] = []
beforeEach(() => {
  upstream.reset()
  upstream.script({}, { kind: 'lie-usage', usage })
})
afterAll(async () => {
  await upstream.stop()
  for (const drop of drops) await drop()
})

/** A deployment, with functions to save and restore its database while no gateway runs. */
interface Shop {
  readonly workspace: Workspace
  readonly databaseUrl: string
  backUp(): Promise<void>
  restore(): Promise<void>
}

function sqliteShop(): Shop {
  const workspace = makeWorkspace(shopConfig(upstream.url))
  const path = workspace.path('data/tollgate.db')
  const copy = workspace.path('backup.db')
  return {
    workspace,
    databaseUrl: `sqlite://${path}`,
    backUp: async () => {
      const database = new Database(path)
      database.run(`VACUUM INTO '${copy}'`)
      database.close()
    },
    restore: async () => {
      for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
      writeFileSync(path, readFileSync(copy))
    },
  }
}

async function postgresShop(): Promise<Shop> {
  const database = await freshDatabase()
  drops.push(() => database.drop())
  const workspace = makeWorkspace(shopConfig(upstream.url, { database: database.url }))
  const name = new URL(database.url).pathname.slice(1)
  const serverUrl = Object.assign(new URL(database.url), { pathname: '/postgres' }).href
  const run = async (...statements: string[]): Promise<void> => {
    const sql = new Bun.SQL(serverUrl, { max: 1 })
    for (const statement of statements) await sql.unsafe(statement)
    await sql.close()
  }
  drops.push(() => run(`DROP DATABASE IF EXISTS ${name}_backup WITH (FORCE)`))
  return {
    workspace,
    databaseUrl: database.url,
    backUp: () => run(`CREATE DATABASE ${name}_backup TEMPLATE ${name}`),
    restore: () =>
      run(`DROP DATABASE ${name} WITH (FORCE)`, `CREATE DATABASE ${name} TEMPLATE ${name}_backup`),
  }
}

async function ask(gateway: TollgateProcess, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < count; number += 1) {
    const response = await askShop(gateway.url)
    expect(response.status).toBe(200)
    await response.text()
    ids.push(response.headers.get('x-request-id') ?? '')
  }
  return ids
}

/** The log is written a moment after the event. */
async function isTold(gateway: TollgateProcess, words: string): Promise<void> {
  await eventually(`the log says ${words}`, () => gateway.stderr().includes(words))
}

async function stop(gateway: TollgateProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  gateway.signal(signal)
  const code = await gateway.exited
  if (signal === 'SIGTERM') expect(code).toBe(0)
}

function journalsOf({ workspace }: Shop): string[] {
  return readdirSync(workspace.path('data/journal')).filter((name) => name.endsWith('.log'))
}

const shops: [string, () => Shop | Promise<Shop>][] = [['SQLite', sqliteShop]]
if (postgresServerUrl('process: trouble of the ledger on Postgres') !== undefined)
  shops.push(['Postgres', postgresShop])

describe.each(shops)('a database that was restored from a backup, on %s', (_, open) => {
  test('the gateway starts, keeps the journal, charges each missing request once, and logs it', async () => {
    const shop = await open()
    const { workspace, databaseUrl } = shop
    const first = await startTollgate(workspace, flags)
    const kept = await ask(first, 3)
    await stop(first, 'SIGTERM')
    await shop.backUp()
    const second = await startTollgate(workspace, flags)
    const unshipped = await ask(second, 5)
    await stop(second, 'SIGKILL')
    expect(journalsOf(shop)).toHaveLength(1)
    await shop.restore()

    const third = await startTollgate(workspace, flags)
    await isTold(third, 'database_restored')
    await isTold(third, '"charged":5')
    expect(third.stderr()).not.toContain('EEXIST')
    const later = await ask(third, 2)
    await stop(third, 'SIGTERM')
    const ledger = await readLedger(databaseUrl)
    expect([...ledger.entries.keys()].toSorted()).toEqual(
      [...kept, ...unshipped, ...later].toSorted(),
    )
    expect(ledger.spentNano).toBe(10n * costNano)
    expect(ledger.availableNano).toBe(ledger.creditNano - ledger.spentNano)
    expect(ledger.imbalances).toEqual([])
    expect(journalsOf(shop)).toEqual([])
    // Another restore, now of a state without any of them: nothing is charged twice.
    const fourth = await startTollgate(workspace, flags)
    expect(fourth.stderr()).not.toContain('database_restored')
    expect(fourth.stderr()).not.toContain('journal_missing')
    await stop(fourth, 'SIGTERM')
  })

  test('a process running during the restore admits nothing and names the true reason', async () => {
    const { workspace, databaseUrl } = await open()
    const gateway = await startTollgate(workspace, flags)
    await ask(gateway, 1)
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
    const engine = await openStore(databaseUrl)
    await engine.db.updateTable('replica').set({ epoch: 0 }).execute()
    await eventually('it is not ready', async () => {
      return (await fetch(`${gateway.url}/readyz`)).status === 503
    })
    expect(await (await fetch(`${gateway.url}/readyz`)).text()).toBe('identity lost\n')
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
    expect((await askShop(gateway.url)).status).toBe(503)
    await isTold(gateway, 'the database was restored or replaced')
    expect(gateway.stderr()).not.toContain('another process')
    await engine.close()
    await stop(gateway, 'SIGTERM')
    const ledger = await readLedger(databaseUrl)
    expect(ledger.entries.size).toBe(1)
    expect(ledger.imbalances).toEqual([])
  })

  test('a second process with the same name makes the first not ready, and the first names it as the cause', async () => {
    const { workspace, databaseUrl } = await open()
    const first = await startTollgate(workspace, flags)
    // On the same data folder the second process would be refused.
    const elsewhere = makeWorkspace(shopConfig(upstream.url, { database: databaseUrl }))
    cpSync(workspace.path('data/secret'), elsewhere.path('data/secret'))
    const second = await startTollgate(elsewhere, flags)
    await eventually('the first is not ready', async () => {
      return (await fetch(`${first.url}/readyz`)).status === 503
    })
    await isTold(first, 'another process was started as replica \\"node-a\\"')
    expect(first.stderr()).not.toContain('restored')
    expect((await fetch(`${second.url}/readyz`)).status).toBe(200)
    for (const each of [second, first]) await stop(each, 'SIGTERM')
  })
})

describe('a damaged or missing journal', () => {
  test('damaged lines are kept, counted and logged; readable lines are charged', async () => {
    const shop = sqliteShop()
    const { workspace } = shop
    const first = await startTollgate(workspace, [...flags, '--durability', 'fsync'])
    const ids = await ask(first, 4)
    await stop(first, 'SIGKILL')
    const [name = ''] = journalsOf(shop)
    const path = workspace.path(`data/journal/${name}`)
    const bytes = readFileSync(path)
    // Changes one letter of the last settlement. Zeros at the end are not damage.
    const last = bytes.lastIndexOf('settle-1')
    bytes[last] = 'x'.charCodeAt(0)
    writeFileSync(path, bytes)
    // As if none of the charges had reached the database.
    const database = new Database(workspace.path('data/tollgate.db'))
    for (const table of ['entry', 'usage_row']) database.run(`DELETE FROM ${table}`)
    database.run("UPDATE account SET available_nano = 25000000000 WHERE id = 'acme'")
    database.run('DELETE FROM lease')
    database.run('UPDATE api_key SET spent_nano = 0')
    database.close()

    const second = await startTollgate(workspace, flags)
    await isTold(second, '"event":"journal_damaged","lines":1')
    const metrics = await (await fetch(`${second.url}/metrics`)).text()
    expect(metrics).toContain('tollgate_journal_damaged_lines 1')
    expect(metrics).toContain('tollgate_records_set_aside 0')
    expect(readFileSync(workspace.path(`data/journal/damaged-${name}`))).toEqual(bytes)
    for (const command of ['audit', 'doctor']) {
      const { code, stdout } = await runHere(workspace, [command])
      expect(stdout).toContain('Journal lines that cannot be read: 1.')
      expect(code).toBe(1)
    }
    await stop(second, 'SIGTERM')
    const { entries } = await readLedger(shop.databaseUrl)
    // The admission of the damaged request is intact, so the request costs its input.
    expect(ids.map((id) => entries.get(id)?.source)).toEqual([
      ...Array(3).fill('upstream'),
      'recovered',
    ])
    rmSync(workspace.path(`data/journal/damaged-${name}`))
    expect((await runHere(workspace, ['audit'])).stdout).toContain('L1')
  })

  test.each([
    ['its journal', /\.log$/],
    ['its journal and its lock', /./],
  ])('if a process was killed and lost %s, the next start reports it once', async (_, lost) => {
    const shop = sqliteShop()
    const { workspace } = shop
    const first = await startTollgate(workspace, flags)
    await ask(first, 1)
    await stop(first, 'SIGKILL')
    for (const name of readdirSync(workspace.path('data/journal'))) {
      if (lost.test(name)) rmSync(workspace.path(`data/journal/${name}`))
    }
    const told = await startTollgate(workspace, flags)
    await isTold(told, '"event":"journal_missing"')
    await isTold(told, '(epoch 1) did not end cleanly')
    await stop(told, 'SIGKILL')
    // This life has its journal.
    const quiet = await startTollgate(workspace, flags)
    expect(quiet.stderr()).not.toContain('journal_missing')
    await stop(quiet, 'SIGTERM')
    const last = await startTollgate(workspace, flags)
    expect(last.stderr()).not.toContain('journal_missing')
    await stop(last, 'SIGTERM')
  })
})

describe('a stream cut by kill -9', () => {
  test('is charged for its input and the output delivered up to the last checkpoint', async () => {
    const words = 3_000
    const { workspace, databaseUrl } = sqliteShop()
    const texts = Array.from({ length: words }, (_, index) => chunk(` word${index % 10}`))
    const events = [roleChunk(), ...texts, chunk(' and then silence')]
    upstream.script('next', { kind: 'events', events, end: 'stall' })
    const gateway = await startTollgate(workspace, flags)
    const body = chatBody({ stream: true, max_tokens: 20_000 })
    const stream = readStream(await askShop(gateway.url, { body }))
    await stream.readUntil('and then silence')
    const journal = workspace.path('data/journal')
    // A checkpoint is written in the turn after the words were sent, which may be late on a busy machine.
    await eventually('the last checkpoint is in the journal', () =>
      journalsOf({ workspace } as Shop).some((name) => {
        const costs = readFileSync(`${journal}/${name}`, 'utf8').match(/(?<!\d)\d{8}(?!\d)/g) ?? []
        return costs.some((cost) => Number(cost) > words * 9_000)
      }),
    )
    await stop(gateway, 'SIGKILL')
    const bytes = journalsOf({ workspace } as Shop).reduce(
      (sum, name) => sum + readFileSync(`${journal}/${name}`).length,
      0,
    )
    const next = await startTollgate(workspace, flags)
    await stop(next, 'SIGTERM')
    const { entries, rows, imbalances } = await readLedger(databaseUrl)
    expect(imbalances).toEqual([])
    const entry = entries.get(stream.requestId)
    expect(entry?.source).toBe('recovered')
    // 10 US$ for a million tokens; a word is one or two of them.
    expect(entry?.costNano).toBeGreaterThan(BigInt(words) * 9_000n)
    expect(entry?.costNano).toBeLessThan(BigInt(words) * 30_000n)
    expect(rows.get(stream.requestId)).toMatchObject({ reason: 'interrupted' })
    // Some 600 kB of events leave no more than this in the journal.
    expect(bytes).toBeLessThan(60_000)
    const { stdout, code } = await runHere(workspace, ['audit'])
    expect(stdout).toContain('Every charge is accounted for.')
    expect(code).toBe(0)
  })
})
