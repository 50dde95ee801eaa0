import { Database } from 'bun:sqlite'
import { parseJson } from '../../wire/json.ts'
import { answerQuestions } from '../answer-questions.ts'
import { type StatementResult, TransientStoreError, type UnitResult } from '../engine.ts'
import type { ShapedRecord } from '../shape.ts'
import { isConditionMet } from '../unit-conditions.ts'
import { type Prepared, prepare, run } from './prepared.ts'
import { RecordShapes } from './record-shapes.ts'
import type { SqliteQuestion } from './sqlite-question.ts'
import { decodeUnits, encodeResults } from './unit-codec.ts'

/*
 * The thread that owns one SQLite connection. Everything that can wait for a disk happens here, so that the
 * thread which serves requests never does.
 */

declare const self: Worker

const busyTimeoutMs = 10_000

/** What is written to, a page of an index for each key that is busy, is kept at hand instead of read again. */
const cacheKilobytes = 16_000

/** A page that many batches write to is brought from the log to the file once for all of them. */
const logPagesMax = 4_000

/** Of a new file; one that is there keeps its own. Half as many pages are changed by requests of many keys. */
const pageBytes = 8_192

let database: Database | undefined
let shapes: RecordShapes | undefined

function open(path: string, readonly: boolean): void {
  database = new Database(
    path,
    readonly ? { readonly: true, safeIntegers: true } : { create: true, safeIntegers: true },
  )
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  if (readonly) return
  database.run(`PRAGMA page_size = ${pageBytes}`)
  // WAL lets readers and other processes go on while one writes. NORMAL survives the death of the process.
  database.run('PRAGMA journal_mode = WAL')
  database.run('PRAGMA synchronous = NORMAL')
  database.run('PRAGMA foreign_keys = ON')
  database.run(`PRAGMA cache_size = -${cacheKilobytes}`)
  database.run(`PRAGMA wal_autocheckpoint = ${logPagesMax}`)
}

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

function applyRecords(text: string): void {
  const records = parseJson(text) as ShapedRecord[]
  const known = recordShapes()
  inTransaction(() => known.apply(records))
}

function answer(question: SqliteQuestion): unknown {
  switch (question.kind) {
    case 'open':
      return open(question.path, question.readonly)
    case 'query':
      return run(prepare(connection(), question.sql), [...question.values])
    case 'units':
      return runUnits(question.newTexts, question.units)
    case 'shapes':
      return recordShapes().define(question.shapes)
    case 'records':
      return applyRecords(question.text)
    case 'close':
      database?.close()
      return undefined
  }
}

answerQuestions(self, (question: SqliteQuestion) => {
  try {
    return answer(question)
  } catch (error) {
    throw readSqliteError(error)
  }
})

/** Another process that writes lets go in a moment. */
function readSqliteError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!(error instanceof Error) || !code.startsWith('SQLITE_BUSY')) return error
  return new TransientStoreError(error.message, { cause: error })
}
