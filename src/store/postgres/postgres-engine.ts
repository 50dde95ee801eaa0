import { type ReservedSQL, SQL } from 'bun'
import { Kysely } from 'kysely'
import type { Engine, StatementResult, Unit, UnitResult } from '../engine.ts'
import type { Shape } from '../shape.ts'
import type { Tables } from '../tables.ts'
import { isConditionMet } from '../unit-conditions.ts'
import { applyRecords } from './apply-records.ts'
import { numberPlaceholders } from './placeholders.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { readPostgresError } from './postgres-errors.ts'
import { runSql } from './run-sql.ts'

const connectionsMax = 10
const connectTimeoutSeconds = 10
const channel = 'tollgate_change'

/** The engine for many processes and machines. */
export async function openPostgres(url: string): Promise<Engine> {
  const sql = new SQL(url, {
    bigint: true,
    max: connectionsMax,
    connectionTimeout: connectTimeoutSeconds,
  })
  try {
    await sql.unsafe('SELECT 1')
  } catch (error) {
    await sql.close({ timeout: 0 })
    throw readPostgresError(error)
  }
  const shapes = new Map<string, Shape>()
  return {
    kind: 'postgres',
    db: new Kysely<Tables>({ dialect: postgresDialect(sql) }),
    runUnits: (units) => inTransaction(sql, (connection) => runAll(connection, units)),
    defineShapes: async (defined) => {
      for (const shape of defined) shapes.set(shape.name, shape)
    },
    applyRecords: (texts) =>
      inTransaction(sql, (connection) => applyRecords(connection, texts, shapes)),
    onNotify: async (callback) => {
      await sql.listen(channel, callback)
    },
    notify: async () => {
      await sql.unsafe(`NOTIFY ${channel}`)
    },
    close: () => sql.close({ timeout: 5 }),
  }
}

async function inTransaction<T>(
  sql: SQL,
  work: (connection: ReservedSQL) => Promise<T>,
): Promise<T> {
  let connection: ReservedSQL | undefined
  try {
    connection = await sql.reserve()
    await connection.unsafe('BEGIN')
    const result = await work(connection)
    await connection.unsafe('COMMIT')
    return result
  } catch (error) {
    await connection?.unsafe('ROLLBACK').catch(() => undefined)
    throw readPostgresError(error)
  } finally {
    await connection?.release()
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
