import type { Database } from 'bun:sqlite'
import { parseJson } from '../../wire/json.ts'
import { runCommands } from '../engine/run-commands.ts'
import {
  RefusedStoreError,
  type StatementResult,
  TransientStoreError,
  type UnitResult,
} from '../engine.ts'
import type { ShapedRecord } from '../units/shape.ts'
import { isConditionMet } from '../units/unit-conditions.ts'
import { isBusy, openFile } from './open-file.ts'
import { type Prepared, prepare, run } from './prepared.ts'
import { RecordShapes } from './record-shapes.ts'
import type { SqliteCommand } from './sqlite-command.ts'
import { decodeUnits, encodeResults } from './unit-codec.ts'

/*
 * The thread that owns one SQLite connection. Everything that can wait for a disk happens here and never in the thread
 * that serves requests.
 */

declare const self: Worker

let database: Database | undefined
let shapes: RecordShapes | undefined

function connection(): Database {
  if (!database) throw new Error('the database is not open')
  return database
}

function recordShapes(): RecordShapes {
  shapes ??= new RecordShapes(connection())
  return shapes
}

type DecodedUnit = ReturnType<typeof decodeUnits>[number]

/**
 * The statements of units, by number. They are prepared on first use: a text that cannot be prepared must not shift the
 * numbers of the later ones.
 */
const texts: string[] = []
const prepared: (Prepared | undefined)[] = []

function preparedAt(sqlNumber: number): Prepared {
  const known = prepared[sqlNumber]
  if (known) return known
  const text = texts[sqlNumber]
  if (text === undefined) throw new Error(`statement ${sqlNumber} is not known`)
  const made = prepare(connection(), text)
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
  const database = connection()
  endTransaction(database)
  database.run('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.run('COMMIT')
    return result
  } catch (error) {
    rollBack(database)
    throw error
  }
}

/** Ends a transaction whose rollback failed because the disk was full; otherwise it would absorb the next one. */
function endTransaction(database: Database): void {
  if (database.inTransaction) database.run('ROLLBACK')
}

/** Called after a failure; the caller needs that first error. SQLite rolls back by itself after some failures. */
function rollBack(database: Database): void {
  try {
    endTransaction(database)
  } catch {
    // The next transaction tries again.
  }
}

function applyRecords(text: string): void {
  const records = parseJson(text) as ShapedRecord[]
  const known = recordShapes()
  inTransaction(() => known.apply(records))
}

/** The rows that a walk has not returned yet. */
let rowsLeft: Iterator<unknown> | undefined

function step(rowsMax: number): unknown[] {
  const rows: unknown[] = []
  while (rows.length < rowsMax) {
    const next = rowsLeft?.next()
    if (next === undefined || next.done === true) break
    rows.push(next.value)
  }
  return rows
}

function answer(command: SqliteCommand): unknown {
  switch (command.kind) {
    case 'open':
      database = openFile(command.path, command.readonly)
      return undefined
    case 'query':
      if (command.sql === 'BEGIN IMMEDIATE') endTransaction(connection())
      return run(prepare(connection(), command.sql), [...command.values])
    case 'units':
      return runUnits(command.newTexts, command.units)
    case 'shapes':
      return recordShapes().define(command.shapes)
    case 'records':
      return applyRecords(command.text)
    case 'walk':
      rowsLeft = connection().prepare(command.sql).iterate()
      return undefined
    case 'step':
      return step(command.rowsMax)
    case 'close':
      database?.close()
      return undefined
  }
}

runCommands(self, (command: SqliteCommand) => {
  try {
    return answer(command)
  } catch (error) {
    throw readSqliteError(error)
  }
})

/** Errors that only the values of a statement can cause. */
const refusedCodes = ['SQLITE_CONSTRAINT', 'SQLITE_MISMATCH', 'SQLITE_TOOBIG', 'SQLITE_RANGE']

/** A busy error is transient: the other writer finishes in a moment. */
function readSqliteError(error: unknown): unknown {
  if (isBusy(error)) return new TransientStoreError(error.message, { cause: error })
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  const isRefused = refusedCodes.some((each) => code.startsWith(each))
  return isRefused ? new RefusedStoreError(error.message, { cause: error }) : error
}
