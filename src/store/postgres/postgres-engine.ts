import { Kysely } from 'kysely'
import { DatabaseReach } from '../database-reach.ts'
import type { Engine, StatementResult, Unit, UnitResult } from '../engine.ts'
import type { Tables } from '../tables.ts'
import { isConditionMet } from '../unit-conditions.ts'
import type { PostgresServer } from './connect.ts'
import { inTransaction } from './in-transaction.ts'
import { type PostgresLimits, postgresLimits } from './limits.ts'
import { numberPlaceholders } from './placeholders.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { PostgresListener } from './postgres-listener.ts'
import { type PooledConnection, PostgresPool } from './postgres-pool.ts'
import { readPostgresSnapshot } from './postgres-snapshot.ts'
import { PostgresThread } from './postgres-thread.ts'
import { runSql } from './run-sql.ts'

const closeSeconds = 5
const channel = 'tollgate_change'

/** The engine for many processes and machines. */
export async function openPostgres(
  url: string,
  limits: PostgresLimits = postgresLimits,
): Promise<Engine> {
  const { server, patient, reach } = await reachServer(url, limits)
  const listener = new PostgresListener(server, limits.serving, channel)
  const thread = new PostgresThread(server, limits.records)
  const reports = new PostgresPool(server, limits.reports, { reach })
  const onSilence = (): void => {
    listener.renew()
    for (const each of [reports, patient, thread]) each.giveUp()
  }
  const onStale = (): void => {
    for (const each of [listener, reports, patient, thread]) each.renew()
  }
  const serving = new PostgresPool(server, limits.serving, { reach, onSilence, onStale })
  const dbOf = (pool: PostgresPool) => new Kysely<Tables>({ dialect: postgresDialect(pool) })
  return {
    kind: 'postgres',
    db: dbOf(serving),
    reportDb: dbOf(reports),
    patientDb: dbOf(patient),
    schemaDb: new Kysely<Tables>({ dialect: postgresDialect(patient, 'unlimited') }),
    clockSql: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)',
    runUnits: (units) => inTransaction(serving, (connection) => runAll(connection, units)),
    defineShapes: (shapes) => thread.defineShapes(shapes),
    applyRecords: (texts) => thread.applyRecords(texts),
    readSnapshot: (work) => readPostgresSnapshot(patient, work),
    onNotify: (callback) => listener.listen(callback),
    notify: () => notify(serving),
    outOfReachMs: () => reach.outOfReachMs(),
    close: async () => {
      const pools = [serving, reports, patient]
      await Promise.all([
        thread.close(),
        listener.close(),
        ...pools.map((pool) => pool.close(closeSeconds)),
      ])
    },
  }
}

/** Checks whether the server is reachable and accepts our settings; a pooler rejects settings that it does not know. */
async function reachServer(
  url: string,
  limits: PostgresLimits,
  takesSettings = true,
): Promise<{ server: PostgresServer; patient: PostgresPool; reach: DatabaseReach }> {
  const server = { url, takesSettings }
  const reach = new DatabaseReach(() => performance.now())
  const patient = new PostgresPool(server, limits.patient, { reach })
  try {
    const connection = await patient.acquire()
    connection.release()
    return { server, patient, reach }
  } catch (error) {
    await patient.close(0)
    const isRefused = error instanceof Error && /startup parameter/i.test(error.message)
    if (takesSettings && isRefused) return await reachServer(url, limits, false)
    throw error
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
