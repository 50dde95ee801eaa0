import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { sql } from 'kysely'
import { asFault } from '../../../src/core/fault.ts'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { openLines } from '../../../src/ledger/journal/journal-lines.ts'
import { countLeftovers } from '../../../src/ledger/journal/leftovers.ts'
import { replayRefused } from '../../../src/ledger/journal/replay-refused.ts'
import { settleShapes } from '../../../src/ledger/journal/settle-record.ts'
import type { Hold } from '../../../src/ledger/ledger.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { eventually } from '../../support/eventually.ts'
import { makeSmallDisk } from '../../support/ledger/small-disk.ts'
import { patience } from '../../support/patience.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { copyMigratedFile } from '../../support/sqlite/copy-migrated-file.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import {
  costing,
  endTest,
  holdRequest,
  openFunds,
  openReplica,
  readFunds,
} from '../ledger/ledger-helpers.ts'

afterEach(endTest)

const requests = 25
/** A few more attempts than a record once got. */
const failuresMin = 4

const endings: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of endings.toReversed()) await end()
})

/** A transient fault, on its own database. */
interface Trouble {
  readonly engine: Engine
  begin(): Promise<unknown>
  end(): Promise<unknown>
}

async function openAt(url: string): Promise<Engine> {
  const engine = await openStore(url)
  endings.push(() => engine.close())
  return engine
}

/** A superuser on a separate connection. */
function adminOf(url: string): SQL {
  const admin = new SQL(url, { max: 1 })
  endings.push(() => admin.close({ timeout: 0 }))
  return admin
}

async function postgres(): Promise<{ url: string; name: string; admin: SQL }> {
  const database = await freshDatabase()
  endings.push(() => database.drop())
  const engine = await openStore(database.url)
  await migrate(engine, migrations, 1)
  await engine.close()
  const name = new URL(database.url).pathname.slice(1)
  const serverUrl = Object.assign(new URL(database.url), { pathname: '/postgres' }).href
  return { url: database.url, name, admin: adminOf(serverUrl) }
}

function endSessions(admin: SQL, name: string): Promise<unknown> {
  return admin.unsafe('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
    name,
  ])
}

/** The gateway has its own role, which gets another attribute for a while. */
async function troubleOfRole(prefix: string, during: string, after: string): Promise<Trouble> {
  const { url, name, admin } = await postgres()
  const role = `${prefix}_${name}`
  await admin.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD '${new URL(url).password}'`)
  endings.push(() => admin.unsafe(`DROP ROLE IF EXISTS ${role}`))
  const inside = adminOf(url)
  await inside.unsafe(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`)
  endings.push(() => inside.unsafe(`DROP OWNED BY ${role}`))
  const ownUrl = Object.assign(new URL(url), { username: role }).href
  return {
    engine: await openAt(ownUrl),
    begin: async () => {
      await admin.unsafe(`ALTER ROLE ${role} ${during}`)
      await endSessions(admin, name)
    },
    end: () => admin.unsafe(`ALTER ROLE ${role} ${after}`),
  }
}

const onPostgres: Record<string, () => Promise<Trouble>> = {
  'a failover to a server that only reads': async () => {
    const { url, name, admin } = await postgres()
    return {
      engine: await openAt(url),
      // As after a failover, sessions that are opened meanwhile stay read-only.
      begin: async () => {
        await admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
        await endSessions(admin, name)
      },
      end: () => admin.unsafe(`ALTER DATABASE ${name} RESET default_transaction_read_only`),
    }
  },
  'too few connections': () => troubleOfRole('few', 'CONNECTION LIMIT 0', 'CONNECTION LIMIT -1'),
  'a user that cannot sign in while its password is changed': () =>
    troubleOfRole('shut', 'NOLOGIN', 'LOGIN'),
  'a lock that another session holds for too long': async () => {
    const { url, name, admin } = await postgres()
    await admin.unsafe(`ALTER DATABASE ${name} SET lock_timeout = '50ms'`)
    const blocker = adminOf(url)
    await blocker.unsafe('SET lock_timeout = 0')
    return {
      engine: await openAt(url),
      begin: async () => {
        await blocker.unsafe('BEGIN')
        await blocker.unsafe('LOCK TABLE entry IN ACCESS EXCLUSIVE MODE')
      },
      end: () => blocker.unsafe('COMMIT'),
    }
  },
}

/** A full disk; where no small file system can be mounted, SQLite's own size limit, and charges that exceed it. */
async function fullSqlite(): Promise<Trouble> {
  const disk = makeSmallDisk()
  endings.push(async () => disk.remove())
  const path = join(disk.folder, 'small.db')
  await copyMigratedFile(path)
  const engine = await openAt(`sqlite://${path}`)
  const limit = (pages: number) => sql.raw(`PRAGMA max_page_count = ${pages}`).execute(engine.db)
  return {
    engine,
    begin: async () => (disk.isReal ? disk.fill() : limit(1)),
    end: async () => (disk.isReal ? disk.free() : limit(1_000_000)),
  }
}

const troubles: [string, () => Promise<Trouble>][] = [['a full disk of SQLite', fullSqlite]]
if (postgresServerUrl('temporary errors of Postgres') !== undefined)
  troubles.push(...Object.entries(onPostgres))

/** Takes holds while the database works, for requests that end during the fault. */
async function holdsOf(ledger: {
  reserve: (request: ReturnType<typeof holdRequest>) => unknown
}): Promise<Hold[]> {
  const holds: Hold[] = []
  for (let number = 0; number < requests; number += 1) {
    const verdict = await ledger.reserve(holdRequest(10n, `request-${number}`))
    const { hold } = verdict as { hold: Hold }
    await hold.admitted
    holds.push(hold)
  }
  return holds
}

describe('transient database errors', () => {
  test.each(troubles)(
    '%s: every charge is retried until it is stored, and none is set aside',
    async (_, open) => {
      const trouble = await open()
      const { engine } = trouble
      await openFunds(engine, { creditNano: 1_000_000n })
      const errors: string[] = []
      const { ledger, folder } = await openReplica(engine, 'r', undefined, undefined, (error) =>
        errors.push(String(error)),
      )
      const holds = await holdsOf(ledger)
      await trouble.begin()
      // Long enough to need a new page.
      const charge = { ...costing(2n), flags: ['x'.repeat(9_000)] }
      for (const hold of holds) await hold.settleSoon(charge, [])
      await eventually('the charge was retried several times', () => errors.length >= failuresMin)
      expect(errors.join()).not.toContain('ROLLBACK')
      expect(errors.join()).not.toContain('rollback')
      expect(ledger.unshipped).toBe(requests)
      if (engine.kind === 'postgres') {
        // A query now gets a transient error, not a failure of the gateway.
        const ask = () =>
          engine.db
            .deleteFrom('entry')
            .where('request_id', '=', 'none')
            .execute()
            .then(() => undefined, asFault)
        const told = await eventually('a query fails', async () => {
          const fault = await ask()
          // A session that was being opened has escaped.
          if (!fault) await trouble.begin()
          return fault
        })
        expect(told).toMatchObject({ code: 'unavailable', status: 503 })
      }
      await trouble.end()
      await ledger.shipped()
      expect(readdirSync(folder)).not.toContain('refused.log')
      const entries = await engine.db.selectFrom('entry').select('cost_nano').execute()
      expect(entries.map((entry) => entry.cost_nano)).toEqual(Array(requests).fill(2n))
      await ledger.close()
      expect(await readFunds(engine)).toMatchObject({ spentNano: 50n, accountNano: 999_950n })
      expect(await findImbalances(engine)).toEqual([])
    },
    patience(60_000),
  )
})

describe.each(engineFixtures('set aside'))('records that are set aside on $kind', (fixture) => {
  test('are applied once by any number of replays; records that are rejected again stay', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000n })
    const { ledger, folder } = await openReplica(engine)
    // Like a version that does not know the shape of an entry yet.
    const early: Engine = {
      ...engine,
      applyRecords: (texts) =>
        engine.applyRecords(texts.map((text) => text.replaceAll('settle-1', 'settle-9'))),
    }
    const late = await openReplica(early, 'late', folder)
    for (const replica of [late, { ledger }]) {
      const verdict = await replica.ledger.reserve(holdRequest(10n))
      if (!verdict.ok) throw new Error('refused')
      await verdict.hold.admitted
      await verdict.hold.settleSoon(costing(4n), [['unknown-1', 'x']])
      await replica.ledger.shipped()
    }
    expect(countLeftovers(folder).refusedRecords).toBe(3)
    const before = await readFunds(engine)
    for (const applied of [1, 0]) {
      const replay = await replayRefused(engine, folder)
      expect(replay).toEqual({ applied, refused: 2, damaged: 0 })
    }
    const lines = openLines(readFileSync(join(folder, 'refused.log'), 'utf8'))
    expect(lines.map((line) => line.json)).toEqual(Array(2).fill('[["unknown-1","x"]]'))
    await late.ledger.close()
    await ledger.close()
    expect(before.spentNano).toBe(0n)
    expect(await readFunds(engine)).toMatchObject({ accountNano: 992n, spentNano: 8n })
    expect(await findImbalances(engine)).toEqual([])
  })

  test(
    'wait for a full disk, with all later records, and continue automatically',
    async () => {
      const engine = await fixture.openMigrated()
      await engine.defineShapes(settleShapes)
      await openFunds(engine, { creditNano: 1_000n })
      const disk = makeSmallDisk()
      try {
        const errors: string[] = []
        const { ledger, folder } = await openReplica(
          engine,
          'r',
          disk.folder,
          undefined,
          (error) => errors.push(String(error)),
          disk.options,
        )
        const [bad, good] = await holdsOf(ledger)
        await bad?.settleSoon(costing(2n), [['unknown-1', 'request-0']])
        disk.fill()
        await eventually('the record cannot be set aside', () => errors.length >= 2)
        expect(errors.join()).toContain('ENOSPC')
        disk.free()
        await good?.settleSoon(costing(3n), [])
        await ledger.shipped()
        expect(countLeftovers(folder)).toEqual({ refusedRecords: 1, damagedLines: 0 })
        const entries = await engine.db.selectFrom('entry').select('cost_nano').execute()
        expect(new Set(entries.map((entry) => entry.cost_nano))).toEqual(new Set([2n, 3n]))
      } finally {
        disk.remove()
      }
    },
    patience(60_000),
  )
})
