import type { Condition, SqlValue } from './engine.ts'

/**
 * A fixed list of statements with one flat list of values: what a request writes always has the same shape, so
 * only the values travel, and a journal can hold them. A shape's name stands in files; once released it never
 * changes its meaning.
 */
export interface Shape {
  readonly name: string
  readonly statements: readonly ShapeStatement[]
  /** Set when the one statement inserts a row, whether or not there are others: many can then go in at once. */
  readonly row?: RowOfShape
  /** What is done once for many records of a batch, in this order. */
  readonly tallies?: readonly Tally[]
  /**
   * The value that the records of a batch are best written by, for an engine that writes one after the other: those
   * that touch the same page of an index one after another.
   */
  readonly writtenBy?: number
}

/** The first values of a record fill the columns in order; the first column alone, or with others, is unique. */
export interface RowOfShape {
  readonly table: string
  readonly columns: readonly string[]
  readonly unique: readonly string[]
}

/**
 * Amounts of each record, summed up over all records of a batch whose first statement changed a row, apart for
 * each combination of the other values. Then the statements run once for each combination: a thousand requests of
 * one key are a thousand rows, and one change of a balance.
 */
export interface Tally {
  readonly sums: readonly number[]
  readonly by: readonly number[]
  /** Their values are how many records there were, then the sums, then what they are by. */
  readonly statements: readonly ShapeStatement[]
}

export interface ShapeStatement {
  readonly sql: string
  /** Which of the values fill the statement's places, in order. */
  readonly from: readonly number[]
  readonly when?: readonly Condition[]
  readonly many?: ManyAtOnce
}

/** The same for many at once, for an engine to which each statement is a journey: Postgres. */
export interface ManyAtOnce {
  /** Has one place, for a JSON list of objects. Several of them may be about one row. */
  readonly sql: string
  /** Which of the values each member of the objects is. */
  readonly members: Readonly<Record<string, number>>
  /** The member whose value the statement returns, as `id`, for each row that it changed; where a condition asks. */
  readonly id?: string
}

/** Values of one shape. Amounts are numbers here: a single request's cost is far below 2^53 nano. */
export type ShapedRecord = readonly [shape: string, ...values: (string | number | null)[]]

/** A shape that inserts a row unless it is there already. */
export function rowShape(name: string, row: RowOfShape, ...tallies: Tally[]): Shape {
  const { table, columns, unique } = row
  const places = columns.map(() => '?').join(', ')
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})
    ON CONFLICT (${unique.join(', ')}) DO NOTHING`
  const statements = [{ sql, from: inOrder(columns.length) }]
  return tallies.length > 0 ? { name, row, statements, tallies } : { name, row, statements }
}

/** The places of a shape's statement, filled. */
export function fill(statement: ShapeStatement, record: ShapedRecord): SqlValue[] {
  return statement.from.map((index) => record[index + 1] ?? null)
}

export function fillTally(statement: ShapeStatement, values: readonly SqlValue[]): SqlValue[] {
  return statement.from.map((index) => values[index] ?? null)
}

/** `[0, 1, …, count - 1]`: a statement that takes all values in order. */
export function inOrder(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}
