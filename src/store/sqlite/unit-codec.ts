import { parseJson } from '../../wire/json.ts'
import type { StatementResult, Unit, UnitResult } from '../engine.ts'
import type { Condition, SqlValue } from '../units/sql-statement.ts'

/*
 * Units go to the database thread as one string: copying a string is many times cheaper than cloning the objects. The
 * SQL texts never change, so each is sent once and then referred to by number.
 */

type WireValue = string | number | null | { readonly n: string }
type WireStatement = [sqlNumber: number, values: WireValue[], when?: readonly Condition[]]
/** The number of changes; the rows if the statement returned any; null if it did not run. */
type WireResult = number | readonly Record<string, WireValue>[] | null

export interface EncodedUnits {
  /** Texts that the other side does not have yet, in the order of their numbers. */
  readonly newTexts: string[]
  readonly units: string
}

export class UnitEncoder {
  readonly #numbers = new Map<string, number>()

  encode(units: readonly Unit[]): EncodedUnits {
    const newTexts: string[] = []
    const wire = units.map((unit) =>
      unit.statements.map((statement): WireStatement => {
        let sqlNumber = this.#numbers.get(statement.sql)
        if (sqlNumber === undefined) {
          sqlNumber = this.#numbers.size
          this.#numbers.set(statement.sql, sqlNumber)
          newTexts.push(statement.sql)
        }
        const values = statement.values.map(toWire)
        return statement.when ? [sqlNumber, values, statement.when] : [sqlNumber, values]
      }),
    )
    return { newTexts, units: JSON.stringify(wire) }
  }
}

export function decodeUnits(
  text: string,
): { sqlNumber: number; values: SqlValue[]; when: readonly Condition[] }[][] {
  const wire = parseJson(text) as WireStatement[][]
  return wire.map((unit) =>
    unit.map(([sqlNumber, values, when]) => ({
      sqlNumber,
      values: values.map(fromWire),
      when: when ?? [],
    })),
  )
}

export function encodeResults(results: readonly UnitResult[]): string {
  const wire = results.map((unit) =>
    unit.map((each): WireResult => {
      if (each === null) return null
      return each.rows.length === 0 ? each.changes : each.rows.map(rowToWire)
    }),
  )
  return JSON.stringify(wire)
}

export function decodeResults(text: string): UnitResult[] {
  const wire = parseJson(text) as WireResult[][]
  return wire.map((unit) => unit.map(readResult))
}

function readResult(each: WireResult): StatementResult | null {
  if (each === null) return null
  if (typeof each === 'number') return { changes: each, rows: [] }
  const rows = each.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, fromWire(value)])),
  )
  return { changes: rows.length, rows }
}

function rowToWire(row: Record<string, unknown>): Record<string, WireValue> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, toWire(value as SqlValue)]),
  )
}

function toWire(value: SqlValue): WireValue {
  return typeof value === 'bigint' ? { n: value.toString() } : value
}

function fromWire(value: WireValue): SqlValue {
  return typeof value === 'object' && value !== null ? BigInt(value.n) : value
}
