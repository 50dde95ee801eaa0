import type { Database } from 'bun:sqlite'
import { RefusedStoreError, type StatementResult } from '../engine.ts'
import {
  fill,
  fillTally,
  type Shape,
  type ShapedRecord,
  type ShapeStatement,
  type Tally,
} from '../units/shape.ts'
import type { SqlValue } from '../units/sql-statement.ts'
import { TallySums } from '../units/tally-sums.ts'
import { isConditionMet } from '../units/unit-conditions.ts'
import { type Prepared, prepare, run } from './prepared.ts'

type PreparedStatement = ShapeStatement & Prepared

type PreparedTally = Tally & { readonly statements: readonly PreparedStatement[] }

interface PreparedShape {
  readonly statements: readonly PreparedStatement[]
  /**
   * Set for a shape with one statement that takes the first values in order, as nearly all do; such a shape runs
   * directly.
   */
  readonly only: PreparedStatement | undefined
  readonly tallies: readonly PreparedTally[]
  readonly writtenBy: number | undefined
}

/** The prepared shapes of one connection. */
export class RecordShapes {
  readonly #database: Database
  readonly #shapes = new Map<string, PreparedShape>()

  constructor(database: Database) {
    this.#database = database
  }

  define(shapes: readonly Shape[]): void {
    for (const { name, statements, tallies = [], writtenBy } of shapes) {
      const prepared = this.#prepareAll(statements)
      this.#shapes.set(name, {
        statements: prepared,
        only: prepared.length === 1 ? prepared.find(takesFirstInOrder) : undefined,
        tallies: tallies.map((tally) => ({
          ...tally,
          statements: this.#prepareAll(tally.statements),
        })),
        writtenBy,
      })
    }
  }

  apply(records: readonly ShapedRecord[]): void {
    const sums = new Map<PreparedTally, TallySums>()
    for (const record of this.#inBestOrder(records)) {
      const shape = this.#shapeOf(record)
      if (applyRecord(shape, record) === 0) continue
      for (const tally of shape.tallies) {
        let tallied = sums.get(tally)
        if (!tallied) {
          tallied = new TallySums(tally)
          sums.set(tally, tallied)
        }
        tallied.add(record)
      }
    }
    for (const [tally, tallied] of sums) {
      for (const values of tallied.values()) {
        runStatements(tally.statements, (each) => fillTally(each, values))
      }
    }
  }

  #shapeOf([name]: ShapedRecord): PreparedShape {
    const shape = this.#shapes.get(name)
    if (!shape) throw new RefusedStoreError(`records of shape ${name} are not known`)
    return shape
  }

  /** Keeps the order of arrival, but moves records of shapes with a better order to the end, in that order. */
  #inBestOrder(records: readonly ShapedRecord[]): readonly ShapedRecord[] {
    const first: ShapedRecord[] = []
    const ordered = new Map<PreparedShape, ShapedRecord[]>()
    for (const record of records) {
      const shape = this.#shapeOf(record)
      if (shape.writtenBy === undefined) first.push(record)
      else {
        const others = ordered.get(shape)
        if (others) others.push(record)
        else ordered.set(shape, [record])
      }
    }
    for (const [{ writtenBy = 0 }, others] of ordered) {
      for (const record of sortedBy(others, writtenBy)) first.push(record)
    }
    return first
  }

  #prepareAll(statements: readonly ShapeStatement[]): PreparedStatement[] {
    return statements.map((each) => ({ ...each, ...prepare(this.#database, each.sql) }))
  }
}

/** The first element of a record is the name of the shape, not a value. */
function sortedBy(records: readonly ShapedRecord[], value: number): ShapedRecord[] {
  const textOf = (record: ShapedRecord): string => String(record[value + 1])
  return records.toSorted((left, right) => {
    const [one, other] = [textOf(left), textOf(right)]
    if (one === other) return 0
    return one < other ? -1 : 1
  })
}

function takesFirstInOrder({ from }: ShapeStatement): boolean {
  return from.every((index, position) => index === position)
}

/** Returns the number of rows that the first statement changed. */
function applyRecord({ only, statements }: PreparedShape, record: ShapedRecord): number {
  if (only && record.length > only.from.length) {
    // The first element of a record is the name of the shape, not a value.
    return only.statement.run(...record.slice(1, only.from.length + 1)).changes
  }
  const results = runStatements(statements, (each) => fill(each, record))
  return results[0]?.changes ?? 0
}

function runStatements(
  statements: readonly PreparedStatement[],
  valuesOf: (statement: ShapeStatement) => SqlValue[],
): (StatementResult | null)[] {
  const results: (StatementResult | null)[] = []
  for (const each of statements) {
    results.push(isConditionMet(each.when ?? [], results) ? run(each, valuesOf(each)) : null)
  }
  return results
}
