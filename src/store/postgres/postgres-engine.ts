import { Kysely } from 'kysely'
import { splitPostgresUrl } from '../../core/network/postgres-url.ts'
import type { Engine, StatementResult, Unit, UnitResult } from '../engine.ts'
import type { Tables } from '../tables/tables.ts'
import { isConditionMet } from '../units/unit-conditions.ts'
import { type PostgresServer, sessionMark } from './connect.ts'
import { DatabaseAvailability } from './database-availability.ts'
import { inTransaction } from './in-transaction.ts'
import { closeSeconds, type PostgresLimits, postgresLimits } from './limits.ts'
import { numberPlaceholders } from './placeholders.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { PostgresHosts } from './postgres-hosts.ts'
import { PostgresListener } from './postgres-listener.ts'
import { type PooledConnection, PostgresPool, type SqlPool } from './postgres-pool.ts'
import { readPostgresSnapshot } from './postgres-snapshot.ts'
import { PostgresThread } from './postgres-thread.ts'
import { type OpenReplica, ReadReplica } from './read-replica.ts'
import { runSql } from './run-sql.ts'

const channel = 'tollgate_change'
const monotonicMs = (): number => performance.now()

/** The engine for many processes and machines. */
export async function openPostgres(
  url: string,
  limits: PostgresLimits = postgresLimits,
  readUrl?: string,
): Promise<Engine> {
  const opening = { urls: urlsOf(url), hasSessions: true }
  const { server, hosts, background, availability } = await reachServer(opening, limits)
  const listener = new PostgresListener(hosts, limits.serving, channel)
  const thread = new PostgresThread(server, limits.records)
  const reports = new PostgresPool(hosts, limits.reports, { availability })
  const onSilence = (): void => {
    listener.renew()
    for (const each of [reports, background, thread]) each.giveUp()
  }
  const onStale = (): void => {
    for (const each of [listener, reports, background, thread]) each.renew()
  }
  const serving = new PostgresPool(hosts, limits.serving, { availability, onSilence, onStale })
  const changeUrl = async (next: string): Promise<void> => {
    const changed = { ...server, urls: urlsOf(next) }
    await checkAccess(changed, limits)
    hosts.use(changed)
    thread.use(changed)
    for (const each of [listener, reports, background, serving]) each.renew()
  }
  const replica =
    readUrl === undefined
      ? undefined
      : new ReadReplica(readUrl, {
          primary: reports,
          open: (from) => openReplica(from, limits),
          monotonicMs,
        })
  const dbOf = (pool: SqlPool) => new Kysely<Tables>({ dialect: postgresDialect(pool) })
  return {
    kind: 'postgres',
    note: hosts.note,
    db: dbOf(serving),
    reportDb: dbOf(reports),
    usageDb: dbOf(replica ?? reports),
    ...(replica && {
      readReplica: () => replica.state,
      changeReadUrl: (next) => replica.changeUrl(next),
    }),
    backgroundDb: dbOf(background),
    schemaDb: new Kysely<Tables>({ dialect: postgresDialect(background, 'unlimited') }),
    clockSql: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)',
    runUnits: (units) => inTransaction(serving, (connection) => runAll(connection, units)),
    defineShapes: (shapes) => thread.defineShapes(shapes),
    applyRecords: (texts) => thread.applyRecords(texts),
    readSnapshot: (work) => readPostgresSnapshot(background, work),
    onNotify: (callback) => listener.listen(callback),
    notify: () => notify(serving),
    outOfReachMs: () => availability.outOfReachMs(),
    changeUrl,
    close: async () => {
      const pools = [serving, reports, background]
      await Promise.all([
        thread.close(),
        listener.close(),
        replica?.close(),
        ...pools.map((pool) => pool.close(closeSeconds)),
      ])
    },
  }
}

/**
 * Checks whether the server is reachable, and whether our connections are sessions: a pooler rejects a setting that it
 * does not know, or drops it.
 */
async function reachServer(
  server: PostgresServer,
  limits: PostgresLimits,
): Promise<{
  server: PostgresServer
  hosts: PostgresHosts
  background: PostgresPool
  availability: DatabaseAvailability
}> {
  const hosts = new PostgresHosts(server)
  const availability = new DatabaseAvailability(monotonicMs)
  const background = new PostgresPool(hosts, limits.background, { availability })
  try {
    if (!server.hasSessions || (await hasMark(background)))
      return { server, hosts, background, availability }
  } catch (error) {
    await background.close(0)
    const isRefused = error instanceof Error && /startup parameter/i.test(error.message)
    if (!server.hasSessions || !isRefused) throw error
  }
  await background.close(0)
  return await reachServer({ ...server, hasSessions: false }, limits)
}

async function openReplica(url: string, limits: PostgresLimits): Promise<OpenReplica> {
  const { hosts, background } = await reachServer({ urls: [url], hasSessions: true }, limits)
  await background.close(0)
  const pool = new PostgresPool(hosts, limits.reports)
  return { acquire: () => pool.acquire(), close: (timeoutSeconds) => pool.close(timeoutSeconds) }
}

function urlsOf(url: string): readonly string[] {
  return splitPostgresUrl(url) ?? [url]
}

/** Throws if this server does not accept the user and the password, or the user may not write. */
async function checkAccess(server: PostgresServer, { background }: PostgresLimits): Promise<void> {
  const pool = new PostgresPool(new PostgresHosts(server), { ...background, connectionsMax: 1 })
  try {
    const connection = await pool.acquire()
    try {
      const { rows } = await runSql(
        connection,
        `SELECT has_table_privilege('account', 'UPDATE') AS may`,
      )
      if (rows[0]?.['may'] !== true) throw new Error('the user may not write to the tables')
    } finally {
      connection.release()
    }
  } finally {
    await pool.close(0)
  }
}

async function hasMark(pool: PostgresPool): Promise<boolean> {
  const connection = await pool.acquire()
  try {
    const { rows } = await runSql(
      connection,
      `SELECT current_setting('${sessionMark}', true) AS mark`,
    )
    return rows[0]?.['mark'] === 'own'
  } finally {
    connection.release()
  }
}

async function notify(pool: PostgresPool): Promise<void> {
  const connection = await pool.acquire()
  try {
    await connection.run(`NOTIFY ${channel}`)
  } finally {
    connection.release()
  }
}

async function runAll(connection: PooledConnection, units: readonly Unit[]): Promise<UnitResult[]> {
  await lockRows(connection, units)
  const results: UnitResult[] = []
  for (const unit of units) {
    const unitResult: (StatementResult | null)[] = []
    for (const statement of unit.statements) {
      if (isConditionMet(statement.when ?? [], unitResult)) {
        const { rows, count } = await runSql(
          connection,
          numberPlaceholders(statement.sql),
          statement.values,
        )
        unitResult.push({ changes: count, rows })
      } else {
        unitResult.push(null)
      }
    }
    results.push(unitResult)
  }
  return results
}

/**
 * Locks leases, then keys, then accounts, then counters, each in the order of ids, so that two processes never
 * deadlock. A counter that does not exist yet is created under the lock of its account.
 */
async function lockRows(connection: PooledConnection, units: readonly Unit[]): Promise<void> {
  const leases = new Set<string>()
  const keys = new Set<string>()
  const accounts = new Set<string>()
  const sets = new Set<string>()
  for (const { locks } of units) {
    if (!locks) continue
    for (const id of locks.leaseIds ?? []) leases.add(id)
    if (locks.keyId !== undefined) keys.add(locks.keyId)
    if (locks.accountId !== undefined) accounts.add(locks.accountId)
    for (const id of locks.budgetSets ?? []) sets.add(id)
  }
  await lock(connection, 'lease', [...leases])
  await lock(connection, 'api_key', [...keys])
  await lock(connection, 'account', [...accounts])
  await lockCounters(connection, [...sets])
}

async function lockCounters(connection: PooledConnection, setIds: string[]): Promise<void> {
  if (setIds.length === 0) return
  const placeholders = setIds.map((_, index) => `$${index + 1}`).join(', ')
  await connection.run(
    `SELECT id FROM budget_counter WHERE id IN (
      SELECT counter_id FROM budget_set WHERE set_id IN (${placeholders})) ORDER BY id FOR UPDATE`,
    setIds,
  )
}

async function lock(connection: PooledConnection, table: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  const placeholders = ids.map((_, index) => `$${index + 1}`).join(', ')
  await connection.run(
    `SELECT id FROM ${table} WHERE id IN (${placeholders}) ORDER BY id FOR UPDATE`,
    ids.sort(),
  )
}
