import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { SQL } from 'bun'
import { sql } from 'kysely'
import type { Engine } from '../../../src/store/engine.ts'
import { type PostgresLimits, postgresLimits } from '../../../src/store/postgres/limits.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-engine.ts'
import { rowShape } from '../../../src/store/units/shape.ts'
import { eventually } from '../../support/eventually.ts'
import { patience } from '../../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'

if (postgresServerUrl('connections to Postgres') !== undefined) {
  describe('connections to Postgres', connectionTests)
}

const atOnce = 30
const lockNumber = 4711

/** The usual number of connections, with enough time for a busy machine to open all of them. */
const waits = { acquireMs: patience(30_000), statementMs: patience(30_000) }
const limits: PostgresLimits = {
  serving: { ...postgresLimits.serving, ...waits },
  reports: { ...postgresLimits.reports, ...waits },
  records: { ...postgresLimits.records, ...waits },
  background: { ...postgresLimits.background, ...waits },
}

function connectionTests(): void {
  let database: FreshDatabase
  /** Two sessions besides those of the gateway, which are not counted: one counts, and one holds locks. */
  let counting: SQL
  let locking: SQL
  beforeAll(async () => {
    database = await freshDatabase()
    const open = () => new SQL(database.url, { max: 1, connection: { application_name: 'beside' } })
    counting = open()
    locking = open()
  })
  afterAll(async () => {
    await Promise.all([counting.close(), locking.close()])
    await database.drop()
  })

  const countSessions = async (): Promise<number> => {
    const [row] = await counting`SELECT COUNT(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type = 'client backend'
        AND application_name <> 'beside'`
    return row.count
  }

  const work = async (url: string, use: (engine: Engine) => Promise<void>): Promise<void> => {
    await eventually('the sessions of the test before are gone', async () => {
      return (await countSessions()) === 0
    })
    const engine = await openPostgres(url, limits)
    await engine.defineShapes([
      rowShape('fact-1', { table: 'fact', columns: ['name', 'value'], unique: ['name'] }),
    ])
    try {
      await use(engine)
    } finally {
      await engine.close()
    }
  }
  const poolsOf = ({ db, reportDb, backgroundDb }: Engine) => [db, reportDb, backgroundDb]

  test('each pool opens one connection for sequential work, and those that a start needs ahead', () =>
    work(database.url, async (engine) => {
      await engine.onNotify(() => undefined)
      for (let count = 0; count < 10; count += 1) {
        await engine.applyRecords([])
        for (const db of poolsOf(engine)) await sql`SELECT 1`.execute(db)
      }
      const { serving, background } = postgresLimits
      const ahead = (serving.connectionsAhead ?? 1) + (background.connectionsAhead ?? 1)
      expect(ahead).toBeLessThan(serving.connectionsMax + background.connectionsMax)
      await eventually('all are open', async () => (await countSessions()) === 3 + ahead)
    }))

  test('never more than the README says, however much happens at once', () =>
    work(database.url, async (engine) => {
      const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
      const told = Number(/Each process opens up to (\d+) connections/.exec(readme)?.[1])
      await engine.onNotify(() => undefined)
      // All callers wait for these locks, so that every allowed connection is opened.
      await locking.unsafe(`BEGIN; LOCK TABLE fact; SELECT pg_advisory_xact_lock(${lockNumber})`)
      const waiting = poolsOf(engine).flatMap((db) =>
        Array.from({ length: atOnce }, () =>
          sql`SELECT pg_advisory_lock_shared(${sql.lit(lockNumber)})`.execute(db),
        ),
      )
      const records = ['a', 'b', 'c'].map((name) =>
        engine.applyRecords([JSON.stringify([['fact-1', name, '1']])]),
      )
      const ended = Promise.all([...waiting, ...records])
      await eventually('all connections are open', async () => (await countSessions()) >= told)
      await locking.unsafe('COMMIT')
      expect(await ended).toHaveLength(3 * atOnce + 3)
      expect(await countSessions()).toBe(told)
    }))

  test('if the server accepts no more connections, all callers share the open ones', async () => {
    const role = database.name
    await counting.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD '${role}' CONNECTION LIMIT 3`)
    const url = new URL(database.url)
    url.username = role
    url.password = role
    try {
      await work(url.href, async (engine) => {
        await sql`SELECT 1`.execute(engine.db)
        const asked = Array.from({ length: atOnce }, (_, count) =>
          sql<{ count: number }>`SELECT ${sql.lit(count)}::int AS count`.execute(engine.db),
        )
        const counts = (await Promise.all(asked)).map(({ rows }) => rows[0]?.count)
        expect(counts).toEqual(Array.from({ length: atOnce }, (_, count) => count))
        expect(await countSessions()).toBe(3)
      })
    } finally {
      await counting.unsafe(`DROP ROLE ${role}`)
    }
  })

  test('a connection that the server has ended is opened again', () =>
    work(database.url, async (engine) => {
      const pid = sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
      const first = (await pid.execute(engine.db)).rows[0]?.pid
      await counting`SELECT pg_terminate_backend(${first})`
      const second = await eventually('a statement is answered', () =>
        pid.execute(engine.db).then(
          ({ rows }) => rows[0]?.pid,
          () => undefined,
        ),
      )
      expect(second).not.toBe(first)
    }))
}
