import type { ReservedSQL } from 'bun'
import { Kysely } from 'kysely'
import type { Engine, StatementResult, Unit, UnitResult } from '../engine.ts'
import type { Tables } from '../tables.ts'
import { isConditionMet } from '../unit-conditions.ts'
import { connect } from './connect.ts'
import { inTransaction } from './in-transaction.ts'
import { numberPlaceholders } from './placeholders.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { readPostgresError } from './postgres-errors.ts'
import { PostgresThread } from './postgres-thread.ts'
import { runSql } from './run-sql.ts'

/** The thread that carries records has two more. */
const connectionsMax = 8
const reportConnectionsMax = 4
const closeSeconds = 5
const channel = 'tollgate_change'

/** The engine for many processes and machines. */
export async function openPostgres(url: string): Promise<Engine> {
  const sql = connect(url, connectionsMax)
  try {
    await sql.unsafe('SELECT 1')
  } catch (error) {
    await sql.close({ timeout: 0 })
    throw readPostgresError(error)
  }
  const thread = new PostgresThread(url)
  const reports = connect(url, reportConnectionsMax)
  return {
    kind: 'postgres',
    db: new Kysely<Tables>({ dialect: postgresDialect(sql) }),
    reportDb: new Kysely<Tables>({ dialect: postgresDialect(reports) }),
    clockSql: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)',
    runUnits: (units) => inTransaction(sql, (connection) => runAll(connection, units)),
    defineShapes: (shapes) => thread.defineShapes(shapes),
    applyRecords: (texts) => thread.applyRecords(texts),
    onNotify: async (callback) => {
      await sql.listen(channel, callback)
    },
    notify: async () => {
      await sql.unsafe(`NOTIFY ${channel}`)
    },
    close: async () => {
      const pools = [sql, reports]
      await Promise.all([
        thread.close(),
        ...pools.map((pool) => pool.close({ timeout: closeSeconds })),
      ])
    },
  }
}

async function runAll(connection: ReservedSQL, units: readonly Unit[]): Promise<UnitResult[]> {
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

/** Leases, then keys, then accounts, each in order of id: two processes never wait for each other in a circle. */
async function lockRows(connection: ReservedSQL, units: readonly Unit[]): Promise<void> {
  const leases = new Set<string>()
  const keys = new Set<string>()
  const accounts = new Set<string>()
  for (const { locks } of units) {
    if (!locks) continue
    for (const id of locks.leaseIds ?? []) leases.add(id)
    if (locks.keyId !== undefined) keys.add(locks.keyId)
    if (locks.accountId !== undefined) accounts.add(locks.accountId)
  }
  await lock(connection, 'lease', [...leases])
  await lock(connection, 'api_key', [...keys])
  await lock(connection, 'account', [...accounts])
}

async function lock(connection: ReservedSQL, table: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  const places = ids.map((_, index) => `$${index + 1}`).join(', ')
  await connection.unsafe(
    `SELECT id FROM ${table} WHERE id IN (${places}) ORDER BY id FOR UPDATE`,
    ids.sort(),
  )
}
