import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { SQL } from 'bun'
import { type Kysely, sql } from 'kysely'
import type { PoolLimits } from '../../src/store/postgres/connect.ts'
import { openPostgres } from '../../src/store/postgres/postgres-engine.ts'
import { PostgresHosts } from '../../src/store/postgres/postgres-hosts.ts'
import { PostgresPool } from '../../src/store/postgres/postgres-pool.ts'
import { rowShape } from '../../src/store/shape.ts'
import type { Tables } from '../../src/store/tables.ts'
import { eventually } from '../support/eventually.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'
import { failureOf } from './failure-of.ts'

const name = 'connections to Postgres'
const limits: PoolLimits = { connectionsMax: 4, acquireMs: 30_000, statementMs: 30_000 }

if (postgresServerUrl(name) !== undefined) {
  describe(name, () => {
    let database: FreshDatabase
    let observer: SQL

    beforeAll(async () => {
      database = await freshDatabase()
      observer = new SQL(database.url, { max: 1 })
    })

    afterAll(async () => {
      await observer.close()
      await database.drop()
    })

    /** Without the observer's own. */
    async function sessions(): Promise<number> {
      const [row] = (await observer.unsafe(`SELECT COUNT(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend'
        AND pid <> pg_backend_pid()`)) as { count: number }[]
      return row?.count ?? 0
    }

    function openPool(url = database.url): PostgresPool {
      return new PostgresPool(new PostgresHosts({ urls: [url], hasSessions: true }), limits)
    }

    test('a busy process has as many as the README says, and no more', async () => {
      const engine = await openPostgres(database.url)
      const gate = Promise.withResolvers<void>()
      const work: Promise<void>[] = []
      try {
        await engine.onNotify(() => undefined)
        await engine.defineShapes([
          rowShape('fact-1', { table: 'fact', columns: ['name', 'value'], unique: ['name'] }),
        ])
        for (const db of [engine.db, engine.reportDb, engine.patientDb])
          for (let user = 0; user < 20; user += 1) work.push(holdUntil(gate.promise, db))
        const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
        const told = Number(/Each process opens up to (\d+) connections/.exec(readme)?.[1])
        const opened = await eventually('all connections are open', async () => {
          await Promise.all(Array.from({ length: 4 }, () => engine.applyRecords([])))
          const count = await sessions()
          return count >= told ? count : undefined
        })
        expect(opened).toBe(told)
      } finally {
        gate.resolve()
        await Promise.all(work)
        await engine.close()
      }
    })

    test('work that waits for nothing else needs one', async () => {
      await eventually('no session is left', async () => (await sessions()) === 0 || undefined)
      const pool = openPool()
      for (let user = 0; user < 10; user += 1) await askOnce(pool)
      expect(await sessions()).toBe(1)
      await pool.close(5)
    })

    test('users beyond the limit take their turns', async () => {
      const pool = openPool()
      const held = await Promise.all(Array.from({ length: 4 }, () => pool.acquire()))
      const waiting = Array.from({ length: 6 }, () => askOnce(pool))
      held[2]?.release()
      await Promise.all(waiting)
      expect(await sessions()).toBe(4)
      for (const each of [0, 1, 3]) held[each]?.release()
      await pool.close(5)
    })

    test('a session that the server ended is replaced, and its place is not lost', async () => {
      const pool = openPool()
      for (let round = 0; round < limits.connectionsMax + 1; round += 1) {
        const connection = await pool.acquire()
        await failureOf(connection.run('SELECT pg_terminate_backend(pg_backend_pid())'))
        connection.release()
      }
      await Promise.all(Array.from({ length: 6 }, () => askOnce(pool)))
      await pool.close(5)
    })

    test('closing lets running and waiting work end, and nothing new begins', async () => {
      const pool = openPool()
      const held = await Promise.all(Array.from({ length: 4 }, () => pool.acquire()))
      const waiting = [askOnce(pool), askOnce(pool)]
      const isClosed = pool.close(30)
      expect(await sessions()).toBe(4)
      expect(await failureOf(pool.acquire())).toContain('closed')
      for (const each of held) {
        await each.run('SELECT 1')
        each.release()
      }
      await Promise.all([...waiting, isClosed])
      await eventually('no session is left', async () => (await sessions()) === 0 || undefined)
    })

    test('closing at once fails those that wait', async () => {
      const pool = openPool()
      const held = await Promise.all(Array.from({ length: 4 }, () => pool.acquire()))
      const failure = failureOf(pool.acquire())
      await pool.close(0)
      expect(await failure).toContain('closed')
      for (const each of held) each.release()
      await eventually('no session is left', async () => (await sessions()) === 0 || undefined)
    })

    test('a server that allows fewer sessions is used with those', async () => {
      const role = `${database.name}_few`
      await observer.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'few' CONNECTION LIMIT 2`)
      const url = new URL(database.url)
      url.username = role
      url.password = 'few'
      const pool = openPool(url.href)
      try {
        const first = await pool.acquire()
        const second = await pool.acquire()
        const waiting = Array.from({ length: 6 }, () => askOnce(pool))
        second.release()
        await Promise.all(waiting)
        expect(await sessions()).toBe(2)
        first.release()
      } finally {
        await pool.close(5)
        await observer.unsafe(`DROP ROLE ${role}`)
      }
    })
  })
}

async function holdUntil(end: Promise<void>, db: Kysely<Tables>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`SELECT 1`.execute(transaction)
    await end
  })
}

async function askOnce(pool: PostgresPool): Promise<void> {
  const connection = await pool.acquire()
  try {
    await connection.run('SELECT 1')
  } finally {
    connection.release()
  }
}
