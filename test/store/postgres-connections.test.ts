import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { openPostgres } from '../../src/store/postgres/postgres-engine.ts'
import { rowShape } from '../../src/store/shape.ts'
import { eventually } from '../support/eventually.ts'
import { freshDatabase } from '../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'

const name = 'a process has as many connections to Postgres as the README says'

if (postgresServerUrl(name) !== undefined) {
  test(name, async () => {
    const database = await freshDatabase()
    const engine = await openPostgres(database.url)
    try {
      await engine.onNotify(() => undefined)
      await engine.defineShapes([
        rowShape('fact-1', { table: 'fact', columns: ['name', 'value'], unique: ['name'] }),
      ])
      await engine.applyRecords([])
      const count = sql<{ count: bigint }>`SELECT COUNT(*) AS count FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend'`
      for (const db of [engine.db, engine.reportDb, engine.patientDb]) await count.execute(db)
      const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
      const told = /Each process opens (\d+) connections/.exec(readme)?.[1]
      const opened = await eventually('all connections are open', async () => {
        const { rows } = await count.execute(engine.db)
        return Number(rows[0]?.count) >= Number(told) ? rows[0]?.count : undefined
      })
      expect(Number(opened)).toBe(Number(told))
    } finally {
      await engine.close()
      await database.drop()
    }
  })
}
