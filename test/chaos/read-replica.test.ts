import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { checkReadDatabase } from '../../src/cli/doctor/check-read-database.ts'
import { readUsagePage } from '../../src/console-api/handlers/usage/list-usage-rows.ts'
import { newRequestId } from '../../src/core/id.ts'
import { RefusedStoreError } from '../../src/store/engine.ts'
import { migrations } from '../../src/store/migrations/list.ts'
import { migrate } from '../../src/store/migrations/migrate.ts'
import { postgresLimits } from '../../src/store/postgres/limits.ts'
import { openPostgres } from '../../src/store/postgres/postgres-engine.ts'
import { PostgresHosts } from '../../src/store/postgres/postgres-hosts.ts'
import { PostgresPool } from '../../src/store/postgres/postgres-pool.ts'
import { ReadReplica } from '../../src/store/postgres/read-replica.ts'
import { runSql } from '../../src/store/postgres/run-sql.ts'
import { eventually } from '../support/eventually.ts'
import { patience } from '../support/patience.ts'
import { readUsageQuery } from '../support/store/read-usage-query.ts'
import { usageRow } from '../support/usage-row.ts'
import { type OwnPair, startOwnPair } from './own-postgres.ts'

const timeoutMs = patience(120_000)
const pair = await startOwnPair('chaos: a read replica of Postgres')
const pairs = pair ? [pair] : []
afterAll(async () => {
  await pair?.primary.remove()
  await pair?.standby.remove()
}, timeoutMs)

/** The server on which the statement runs, and the state of the replica. */
const where = `SELECT CASE WHEN pg_is_in_recovery() THEN 'replica' ELSE 'primary' END AS place`

const closes: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closes.splice(0)) await close()
  if (pair) await runOn(pair.standby, 'SELECT pg_wal_replay_resume() WHERE pg_is_in_recovery()')
}, timeoutMs)

/** A replica whose clock the test moves, so that no test waits for the time between checks. */
function watch({ primary, standby }: OwnPair) {
  let nowMs = 0
  const poolOf = (url: string): PostgresPool =>
    new PostgresPool(new PostgresHosts({ urls: [url], hasSessions: true }), postgresLimits.reports)
  const primaryPool = poolOf(primary.url)
  const replica = new ReadReplica(standby.url, {
    primary: primaryPool,
    open: async (url) => {
      const pool = poolOf(url)
      return { acquire: () => pool.acquire(), close: (seconds) => pool.close(seconds) }
    },
    monotonicMs: () => nowMs,
  })
  closes.push(async () => {
    await replica.close()
    await primaryPool.close(0)
  })
  return {
    replica,
    pass: (ms: number) => {
      nowMs += ms
    },
    ask: async (statement = where): Promise<unknown> => {
      const connection = await replica.acquire()
      try {
        return (await runSql(connection, statement)).rows[0]?.['place']
      } finally {
        connection.release()
      }
    },
  }
}

async function runOn({ url }: { readonly url: string }, ...statements: string[]): Promise<void> {
  const server = new SQL(url, { max: 1 })
  try {
    for (const statement of statements) await server.unsafe(statement)
  } finally {
    await server.close({ timeout: 0 })
  }
}

/** The standby has the changes a moment after the primary. */
async function untilUsed(watched: ReturnType<typeof watch>): Promise<void> {
  await eventually('the replica is used', async () => {
    await watched.ask()
    watched.pass(1_000)
    return watched.replica.state === 'used'
  })
}

describe.each(pairs)('a read replica', (both) => {
  test(
    'answers while it follows; while it is more than 5 s behind, the primary answers',
    async () => {
      const watched = watch(both)
      expect(watched.replica.state).toBe('unused')
      await untilUsed(watched)
      expect(await watched.ask()).toBe('replica')

      await runOn(both.standby, 'SELECT pg_wal_replay_pause()')
      await runOn(both.primary, 'CREATE TABLE later (n INT)')
      const seen: unknown[] = []
      for (let second = 0; second < 8; second++) {
        watched.pass(1_000)
        seen.push(await watched.ask())
      }
      expect(seen).toEqual([...Array(5).fill('replica'), ...Array(3).fill('primary')])
      expect(watched.replica.state).toBe('behind')
      expect(await watched.ask(`SELECT 'primary' AS place FROM later UNION SELECT 'none'`)).toBe(
        'none',
      )

      await runOn(both.standby, 'SELECT pg_wal_replay_resume()')
      await untilUsed(watched)
      expect(await watched.ask()).toBe('replica')
    },
    timeoutMs,
  )

  test(
    'a statement that fails on the replica runs on the primary, and one with invalid values runs once',
    async () => {
      const watched = watch(both)
      await untilUsed(watched)
      const refused = await watched.ask('SELECT 1 / 0 AS place').catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(RefusedStoreError)
      expect(watched.replica.state).toBe('used')

      // The standby ends the session, as it does when a query conflicts with replay.
      const kill = `SELECT CASE WHEN pg_is_in_recovery()
        THEN CASE WHEN pg_terminate_backend(pg_backend_pid()) THEN 'replica' END ELSE 'primary' END AS place`
      expect(await watched.ask(kill)).toBe('primary')
      expect(watched.replica.state).toBe('unreachable')
      watched.pass(9_999)
      expect(await watched.ask()).toBe('primary')
      watched.pass(1)
      await untilUsed(watched)
    },
    timeoutMs,
  )

  test(
    'while the replica is unavailable the primary answers, and no query fails',
    async () => {
      const watched = watch(both)
      await untilUsed(watched)
      await both.standby.end('SIGQUIT')
      for (const ms of [0, 1_000, 10_000, 10_000]) {
        watched.pass(ms)
        expect(await watched.ask()).toBe('primary')
        expect(watched.replica.state).toBe('unreachable')
      }
      await both.standby.startAgain()
      watched.pass(10_000)
      await untilUsed(watched)
    },
    timeoutMs,
  )

  test(
    'the request log is read from the replica, and everything else from the primary',
    async () => {
      const { primary, standby } = both
      const engine = await openPostgres(primary.url, postgresLimits, standby.url)
      closes.push(() => engine.close())
      await migrate(engine, migrations, Date.now())
      const requestId = newRequestId(Date.now())
      await engine.db.insertInto('usage_row').values(rowOf(requestId)).execute()
      const query = readUsageQuery(new URLSearchParams())
      const read = async (): Promise<string[]> =>
        (await readUsagePage(engine, { accountIds: ['a'] }, query)).rows.map((row) => row.requestId)
      await eventually('the row', async () => (await read()).includes(requestId))
      await eventually('the replica is used', async () => {
        await read()
        return engine.readReplica?.() === 'used'
      })
      // A row that the replica does not have yet is missing from the log. Nothing else is read from the replica.
      await runOn(standby, 'SELECT pg_wal_replay_pause()')
      const later = newRequestId(Date.now())
      await engine.db.insertInto('usage_row').values(rowOf(later)).execute()
      const seen = await read()
      // On a slow machine the replica may be too far behind by now.
      expect(engine.readReplica?.() === 'used' ? seen : [requestId]).toEqual([requestId])
      const there = await engine.reportDb.selectFrom('usage_row').select('request_id').execute()
      expect(there).toHaveLength(2)
      await runOn(standby, 'SELECT pg_wal_replay_resume()')
      await eventually('the later row', async () => (await read()).includes(later))
    },
    timeoutMs,
  )

  test(
    'another user or server is used at once',
    async () => {
      const watched = watch(both)
      await untilUsed(watched)
      watched.replica.changeUrl(both.primary.url)
      expect(await watched.ask()).toBe('primary')
      expect(watched.replica.state).toBe('promoted')
      watched.replica.changeUrl(both.standby.url)
      await untilUsed(watched)
      expect(await watched.ask()).toBe('replica')
    },
    timeoutMs,
  )

  test(
    'doctor reports whether the replica can be used',
    async () => {
      const { primary, standby } = both
      const check = (readDatabase: string) =>
        checkReadDatabase({ database: primary.url, readDatabase }, true)
      expect(await check(standby.url)).toMatchObject([{ verdict: 'ok' }])
      expect(await check(primary.url)).toMatchObject([
        { verdict: 'fail', text: expect.stringContaining('is not a standby') },
      ])
      const nowhere = 'postgres://someone:hidden@127.0.0.1:1/postgres'
      const [finding] = await check(nowhere)
      expect(finding?.text).toContain('127.0.0.1:1 cannot be used, so the primary answers')
      expect(finding?.text).not.toContain('hidden')
    },
    timeoutMs,
  )

  test(
    'a promoted replica is not read',
    async () => {
      const watched = watch(both)
      await untilUsed(watched)
      await runOn(both.standby, 'SELECT pg_promote()')
      watched.pass(1_000)
      expect(await watched.ask()).toBe('primary')
      expect(watched.replica.state).toBe('promoted')
    },
    timeoutMs,
  )
})

function rowOf(requestId: string) {
  return { ...usageRow, request_id: requestId, at: Date.now(), account_id: 'a' }
}
