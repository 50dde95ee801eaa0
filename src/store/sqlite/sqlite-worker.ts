import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { parseJson } from '../../wire/json.ts'
import type { StatementResult, UnitResult } from '../engine.ts'
import { fill, type Shape, type ShapedRecord, type ShapeStatement } from '../shape.ts'
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

/**
 * The statements of units, by number. They are prepared on first use: a text that cannot be prepared must not
 * shift the numbers of those that come after it.
 */
const texts: string[] = []
const prepared: (Prepared | undefined)[] = []

function preparedAt(sqlNumber: number): Prepared {
  const known = prepared[sqlNumber]
  if (known) return known
  const text = texts[sqlNumber]
  if (text === undefined) throw new Error(`statement ${sqlNumber} is not known`)
  const made = prepare(text)
  prepared[sqlNumber] = made
  return made
}

function runUnit(unit: DecodedUnit): UnitResult {
  const results: (StatementResult | null)[] = []
  for (const { sqlNumber, values, when } of unit) {
    results.push(isConditionMet(when, results) ? run(preparedAt(sqlNumber), values) : null)
  }
  return results
}

function runUnits(newTexts: readonly string[], encoded: string): string {
  texts.push(...newTexts)
  const units = decodeUnits(encoded)
  return inTransaction(() => encodeResults(units.map(runUnit)))
}

function inTransaction<T>(work: () => T): T {
  connection().run('BEGIN IMMEDIATE')
  try {
    const result = work()
    connection().run('COMMIT')
    return result
  } catch (error) {
    connection().run('ROLLBACK')
    throw error
  }
}

interface PreparedShape {
  readonly statements: readonly (ShapeStatement & Prepared)[]
}

const shapes = new Map<string, PreparedShape>()

function defineShapes(defined: readonly Shape[]): void {
  for (const { name, statements } of defined) {
    shapes.set(name, { statements: statements.map((each) => ({ ...each, ...prepare(each.sql) })) })
  }
}

function applyRecord(record: ShapedRecord): void {
  const shape = shapes.get(record[0])
  if (!shape) throw new Error(`records of shape ${record[0]} are not known`)
  const results: (StatementResult | null)[] = []
  for (const each of shape.statements) {
    results.push(isConditionMet(each.when ?? [], results) ? run(each, fill(each, record)) : null)
  }
}

function applyRecords(text: string): void {
  const groups = parseJson(text) as ShapedRecord[][]
  inTransaction(() => {
    for (const group of groups) for (const record of group) applyRecord(record)
  })
}

function answer(question: WorkerQuestion): unknown {
  switch (question.kind) {
    case 'open':
      return open(question.path, question.readonly)
    case 'query':
      return run(prepare(question.sql), [...question.values])
    case 'units':
      return runUnits(question.newTexts, question.units)
    case 'shapes':
      return defineShapes(question.shapes)
    case 'records':
      return applyRecords(question.text)
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
