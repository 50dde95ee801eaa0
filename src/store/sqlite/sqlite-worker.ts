import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import type { StatementResult, UnitResult } from '../engine.ts'
import { isConditionMet } from '../unit-conditions.ts'
import { decodeUnits, encodeResults } from './unit-codec.ts'
import type { WorkerAnswer, WorkerQuestion } from './worker-messages.ts'

/*
 * The thread that owns one SQLite connection. Everything that can wait for a disk happens here, so that the
 * thread which serves requests never does.
 */

declare const self: Worker

const busyTimeoutMs = 10_000
let database: Database | undefined

function open(path: string, readonly: boolean): void {
  database = new Database(
    path,
    readonly ? { readonly: true, safeIntegers: true } : { create: true, safeIntegers: true },
  )
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  if (readonly) return
  // WAL lets readers and other processes go on while one writes. NORMAL survives the death of the process.
  database.run('PRAGMA journal_mode = WAL')
  database.run('PRAGMA synchronous = NORMAL')
  database.run('PRAGMA foreign_keys = ON')
}

function connection(): Database {
  if (!database) throw new Error('the database is not open')
  return database
}

interface Prepared {
  readonly statement: Statement
  readonly returnsRows: boolean
}

function prepare(sql: string): Prepared {
  const statement = connection().query(sql)
  return { statement, returnsRows: statement.columnNames.length > 0 }
}

function run({ statement, returnsRows }: Prepared, values: SQLQueryBindings[]): StatementResult {
  if (returnsRows) {
    const rows = statement.all(...values) as Record<string, unknown>[]
    return { changes: rows.length, rows }
  }
  return { changes: Number(statement.run(...values).changes), rows: [] }
}

type DecodedUnit = ReturnType<typeof decodeUnits>[number]

/** The statements of units, by number. */
const prepared: Prepared[] = []

function runUnit(unit: DecodedUnit): UnitResult {
  const results: (StatementResult | null)[] = []
  for (const { sqlNumber, values, when } of unit) {
    const each = prepared[sqlNumber]
    if (each === undefined) throw new Error(`statement ${sqlNumber} is not known`)
    results.push(isConditionMet(when, results) ? run(each, values) : null)
  }
  return results
}

function runUnits(newTexts: readonly string[], encoded: string): string {
  for (const text of newTexts) prepared.push(prepare(text))
  const units = decodeUnits(encoded)
  connection().run('BEGIN IMMEDIATE')
  try {
    const results = units.map(runUnit)
    connection().run('COMMIT')
    return encodeResults(results)
  } catch (error) {
    connection().run('ROLLBACK')
    throw error
  }
}

function answer(question: WorkerQuestion): unknown {
  switch (question.kind) {
    case 'open':
      return open(question.path, question.readonly)
    case 'query':
      return run(prepare(question.sql), [...question.values])
    case 'units':
      return runUnits(question.newTexts, question.units)
    case 'close':
      database?.close()
      return undefined
  }
}

self.onmessage = (event: MessageEvent<WorkerQuestion>) => {
  const { id } = event.data
  let reply: WorkerAnswer
  try {
    reply = { id, value: answer(event.data) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    reply = { id, error: error instanceof Error ? error.message : String(error), code }
  }
  self.postMessage(reply)
}
