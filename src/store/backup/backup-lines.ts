import { isObject, type JsonObject, parseJson } from '../../wire/json.ts'
import type { SnapshotRow } from '../engine/snapshot.ts'

/*
 * A backup is a gzip file of lines. Each line is one JSON text:
 *
 *   {"tollgate":"backup","format":1,…}             the first line
 *   {"table":"account","columns":[…],"sequence":n} before the rows of a table
 *   ["acme","Acme",…]                              a row, in the order of the columns
 *   {"end":"backup","rows":n,"sha256":"…"}         the last line, with the hash of all bytes before it
 *
 * The rows do not depend on the engine, so a backup of SQLite can be restored to Postgres and the reverse.
 */

export const formatVersion = 1

export interface BackupHead {
  readonly tollgate: 'backup'
  readonly format: number
  /** The version of the program that wrote the file. */
  readonly version: string
  readonly engine: string
  readonly madeAtMs: number
  readonly migrations: readonly { readonly id: string; readonly hash: string }[]
  /** The time of the oldest request; null without requests. */
  readonly oldestRequestMs: number | null
}

export interface BackupTable {
  readonly table: string
  readonly columns: readonly string[]
  /** The last number that was given out, for a table that numbers its rows. */
  readonly sequence: number | null
}

export interface BackupEnd {
  readonly end: 'backup'
  readonly rows: number
  readonly sha256: string
}

export type BackupCell = string | number | null

export type BackupLine = BackupHead | BackupTable | BackupEnd | readonly BackupCell[]

/** Text, an integer or nothing. An integer that a JSON number cannot hold is an object. */
export function writeRow(columns: readonly string[], row: SnapshotRow): string {
  return JSON.stringify(columns.map((column) => writeCell(row[column])))
}

function writeCell(value: unknown): unknown {
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : { int: value.toString() }
}

/** Undefined for a line that no backup has. */
export function readLine(text: string): BackupLine | undefined {
  const value = parseJson(text)
  if (Array.isArray(value)) return value.map(readCell)
  if (!isObject(value)) return undefined
  const isKnown = isHead(value) || isTable(value) || isEnd(value)
  return isKnown ? (value as unknown as BackupLine) : undefined
}

/** The rest of a head is known only in our own format. */
function isHead({ tollgate, format, migrations, oldestRequestMs }: JsonObject): boolean {
  if (tollgate !== 'backup' || typeof format !== 'number') return false
  if (format !== formatVersion) return true
  const areMigrations =
    Array.isArray(migrations) &&
    migrations.every(
      (each) =>
        isObject(each) && typeof each['id'] === 'string' && typeof each['hash'] === 'string',
    )
  return areMigrations && isNumberOrNull(oldestRequestMs)
}

function isTable({ table, columns, sequence }: JsonObject): boolean {
  const areColumns = Array.isArray(columns) && columns.every((each) => typeof each === 'string')
  return typeof table === 'string' && areColumns && isNumberOrNull(sequence)
}

function isEnd({ end, rows, sha256 }: JsonObject): boolean {
  return end === 'backup' && typeof rows === 'number' && typeof sha256 === 'string'
}

function isNumberOrNull(value: unknown): boolean {
  return value === null || typeof value === 'number'
}

/** A large integer becomes text, which both engines convert to the integer of its column. */
function readCell(value: unknown): BackupCell {
  if (isObject(value)) return String(value['int'])
  return value as BackupCell
}
