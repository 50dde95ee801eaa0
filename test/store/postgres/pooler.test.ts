import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { type PostgresLimits, postgresLimits } from '../../../src/store/postgres/limits.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-engine.ts'
import { rowShape } from '../../../src/store/units/shape.ts'
import { patience } from '../../support/patience.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { pgbouncerPath, startPgbouncer } from '../../support/postgres/start-pgbouncer.ts'

const name = 'store: Postgres behind a pooler in transaction mode'
const serverUrl = postgresServerUrl(name)
const path = serverUrl === undefined ? undefined : pgbouncerPath(name)

const rounds = 8
/** On a busy machine many callers wait long for the only connection. */
const waitMs = patience(15_000)
const waits = { acquireMs: waitMs, statementMs: waitMs }
const limits: PostgresLimits = {
  serving: { ...postgresLimits.serving, ...waits },
  reports: { ...postgresLimits.reports, ...waits },
  records: { ...postgresLimits.records, ...waits },
  background: postgresLimits.background,
}

const factShape = rowShape('fact-1', {
  table: 'fact',
  columns: ['name', 'value'],
  unique: ['name'],
})

/** All kinds of database work of a gateway, many at the same time. */
async function doEverything(engine: Engine, prefix: string): Promise<void> {
  const row = (kind: string, round: number) => ({ name: `${prefix}-${kind}-${round}`, value: 'A' })
  await engine.defineShapes([factShape])
  const works = Array.from({ length: rounds }, (_, round) => [
    write(engine, 1, async ({ tx, announce }) => {
      await tx.insertInto('fact').values(row('change', round)).execute()
      announce('catalog', 'x')
    }),
    engine.runUnits([
      {
        statements: [
          {
            sql: 'INSERT INTO fact (name, value) VALUES (?, ?)',
            values: [row('unit', round).name, 'A'],
          },
          {
            sql: 'SELECT value FROM fact WHERE name = ?',
            values: ['none'],
            when: [[0, 'changed']],
          },
        ],
      },
    ]),
    engine.applyRecords([JSON.stringify([['fact-1', row('record', round).name, 'A']])]),
    engine.db.insertInto('fact').values(row('single', round)).execute(),
    ...[engine.db, engine.reportDb, engine.backgroundDb].map((db) =>
      db.selectFrom('fact').selectAll().where('name', '=', `${prefix}-${round}`).execute(),
    ),
  ])
  await Promise.all(works.flat())
}

async function countFacts(engine: Engine, prefix: string): Promise<number> {
  return engine.readSnapshot(async (snapshot) => {
    const walk = await snapshot.walk(`SELECT name FROM fact WHERE name LIKE '${prefix}-%'`)
    let count = 0
    for (;;) {
      const rows = await walk.next(7)
      if (rows.length === 0) return count
      count += rows.length
    }
  })
}

/** The limits of a transaction on the connections of requests. */
async function limitsOf({ db }: Engine): Promise<unknown> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ setting: string }>`SELECT setting FROM pg_settings
      WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout') ORDER BY name`.execute(
      tx,
    )
    return rows.map(({ setting }) => Number(setting))
  })
}

const poolers: [string, string[]][] = [
  ['that rejects settings which it does not know', []],
  [
    'that drops settings which it does not know',
    [
      'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,tollgate.session',
    ],
  ],
]

if (serverUrl !== undefined && path !== undefined) {
  describe(name, () => {
    test.each(poolers)(
      'a pooler %s: two processes share one connection, and every kind of statement works',
      async (_, settings) => {
        const pooler = await startPgbouncer(path, serverUrl, { poolSize: 1, settings })
        const database = await freshDatabase({ isEmpty: true })
        const url = pooler.urlOf(database.url)
        const engines = await Promise.all([openPostgres(url, limits), openPostgres(url, limits)])
        const [one, other] = engines
        try {
          // Both at the same time, like two gateways that start together.
          await Promise.all(engines.map((engine) => migrate(engine, migrations, 1)))
          for (const engine of engines) await engine.onNotify(() => undefined)
          await Promise.all([doEverything(one, 'one'), doEverything(other, 'other')])
          expect(await countFacts(one, 'other')).toBe(4 * rounds)
          expect(await countFacts(other, 'one')).toBe(4 * rounds)
          for (const engine of engines) expect(await limitsOf(engine)).toEqual([15_000, waitMs])
          const { rows } = await sql`SELECT COUNT(*)::INT AS count FROM pg_stat_activity
            WHERE datname = current_database()`.execute(one.db)
          expect(rows).toEqual([{ count: 1 }])
        } finally {
          for (const engine of engines) await engine.close()
          await database.drop()
          await pooler.stop()
        }
      },
      patience(60_000),
    )

    test('without a pooler a connection keeps its limits outside a transaction too', async () => {
      const database = await freshDatabase()
      const serving = { ...limits.serving, statementMs: 86_400_000 }
      const engine = await openPostgres(database.url, { ...limits, serving })
      const { rows } = await sql`SHOW statement_timeout`.execute(engine.db)
      expect(rows).toEqual([{ statement_timeout: '1d' }])
      await engine.close()
      await database.drop()
    })
  })
}
