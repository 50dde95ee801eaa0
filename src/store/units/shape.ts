import type { Condition, SqlValue } from './sql-statement.ts'

/**
 * A fixed list of statements with one flat list of values. The writes of a request always have the same shape, so only
 * the values are sent, and the journal can store them. Journal files contain the name of a shape; after a release its
 * meaning never changes.
 */
export interface Shape {
  readonly name: string
  readonly statements: readonly ShapeStatement[]
  /**
   * Set when the only statement inserts one row, independently of other records; many rows can then be inserted at
   * once.
   */
  readonly row?: RowOfShape
  /** Statements that run once for many records of a batch, in this order. */
  readonly tallies?: readonly Tally[]
  /**
   * The value to sort the records of a batch by, for an engine that writes them one after the other: records that touch
   * the same index page then follow each other.
   */
  readonly writtenBy?: number
}

/** The first values of a record fill the columns in order. The first column is unique, alone or with others. */
export interface RowOfShape {
  readonly table: string
  readonly columns: readonly string[]
  readonly unique: readonly string[]
}

/**
 * Sums amounts over all records of a batch whose first statement changed a row, separately for each combination of the
 * `by` values. The statements then run once for each combination: a thousand requests of one key are a thousand rows
 * but one change of a balance.
 */
export interface Tally {
  readonly sums: readonly number[]
  readonly by: readonly number[]
  /** Their values are the number of records, then the sums, then the `by` values. */
  readonly statements: readonly ShapeStatement[]
}

export interface ShapeStatement {
  readonly sql: string
  /** The indexes of the values that fill the placeholders, in order. */
  readonly from: readonly number[]
  readonly when?: readonly Condition[]
  readonly many?: ManyAtOnce
}

/** The same statement for many records at once, for an engine with a round trip for each statement: Postgres. */
export interface ManyAtOnce {
  /** Has one placeholder, for a JSON list of objects. Several objects may concern the same row. */
  readonly sql: string
  /** The index of the value for each member of the objects. */
  readonly members: Readonly<Record<string, number>>
  /**
   * The member whose value the statement returns, as `id`, for each changed row; needed when a condition depends on the
   * statement.
   */
  readonly id?: string
}

/** The values of one shape. Amounts are numbers here: the cost of a single request is far below 2^53 nano. */
export type ShapedRecord = readonly [shape: string, ...values: (string | number | null)[]]

/** A shape that inserts a row unless it already exists. */
export function rowShape(name: string, row: RowOfShape, ...tallies: Tally[]): Shape {
  const { table, columns, unique } = row
  const placeholders = columns.map(() => '?').join(', ')
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${placeholders})
    ON CONFLICT (${unique.join(', ')}) DO NOTHING`
  const statements = [{ sql, from: inOrder(columns.length) }]
  return tallies.length > 0 ? { name, row, statements, tallies } : { name, row, statements }
}

/** The values for the placeholders of a statement. */
export function fill(statement: ShapeStatement, record: ShapedRecord): SqlValue[] {
  return statement.from.map((index) => record[index + 1] ?? null)
}

export function fillTally(statement: ShapeStatement, values: readonly SqlValue[]): SqlValue[] {
  return statement.from.map((index) => values[index] ?? null)
}

/** `[0, 1, …, count - 1]`, for a statement that takes all values in order. */
export function inOrder(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}
