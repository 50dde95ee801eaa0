import { parseJson } from '../../wire/json.ts'
import { RefusedStoreError, type StatementResult } from '../engine.ts'
import {
  fill,
  fillTally,
  type ManyAtOnce,
  type RowOfShape,
  type Shape,
  type ShapedRecord,
  type ShapeStatement,
  type Tally,
} from '../units/shape.ts'
import type { SqlValue } from '../units/sql-statement.ts'
import { TallySums } from '../units/tally-sums.ts'
import { isConditionMet } from '../units/unit-conditions.ts'
import { numberPlaceholders } from './placeholders.ts'
import type { PooledConnection } from './postgres-pool.ts'
import { runSql } from './run-sql.ts'

/**
 * Applies the records of one batch. Rows are inserted shape by shape, all rows of a shape in one statement. The tallies
 * come last, in the order of their names and sums. So every process takes its locks in the same order and holds
 * contended locks for the shortest time.
 */
export async function applyRecords(
  connection: PooledConnection,
  text: string,
  shapes: ReadonlyMap<string, Shape>,
): Promise<void> {
  const records = Map.groupBy(parseJson(text) as ShapedRecord[], (record) => record[0])
  const tallies: { tally: Tally; fresh: readonly ShapedRecord[] }[] = []
  for (const name of [...records.keys()].sort()) {
    const shape = shapes.get(name)
    if (!shape) throw new RefusedStoreError(`records of shape ${name} are not known`)
    const fresh = await applyShape(connection, shape, records.get(name) ?? [])
    if (fresh.length === 0) continue
    for (const tally of shape.tallies ?? []) tallies.push({ tally, fresh })
  }
  for (const { tally, fresh } of tallies) {
    const sums = new TallySums(tally)
    for (const record of fresh) sums.add(record)
    await runForEach(connection, tally.statements, [...sums.values()], fillTally)
  }
}

/** Returns the records whose first statement changed a row. */
async function applyShape(
  connection: PooledConnection,
  { row, tallies, statements }: Shape,
  records: readonly ShapedRecord[],
): Promise<readonly ShapedRecord[]> {
  if (row) return insertRows(connection, row, records, tallies !== undefined)
  const fresh: ShapedRecord[] = []
  for (const record of records) {
    const [first] = await runForEach(connection, statements, [record], fill)
    if ((first?.[0]?.changes ?? 0) > 0) fresh.push(record)
  }
  return fresh
}

/**
 * Inserts all rows with one statement, which gets them as one JSON text. With a placeholder for each value, every
 * pattern of absent values would need a prepared statement of its own.
 */
async function insertRows(
  connection: PooledConnection,
  { table, columns, unique }: RowOfShape,
  records: readonly ShapedRecord[],
  wantsFresh: boolean,
): Promise<readonly ShapedRecord[]> {
  const names = columns.join(', ')
  const [id = ''] = columns
  const returning = wantsFresh ? `RETURNING ${id} AS id` : ''
  const { rows } = await runSql(
    connection,
    `INSERT INTO ${table} (${names})
      SELECT ${names} FROM json_populate_recordset(NULL::${table}, CAST(CAST($1 AS TEXT) AS JSON))
      ON CONFLICT (${unique.join(', ')}) DO NOTHING ${returning}`,
    [JSON.stringify(records.map((record) => rowOf(columns, record)))],
  )
  if (!wantsFresh) return []
  const ids = new Set(rows.map((each) => each['id']))
  // A record may occur twice in a batch; its row is new only once.
  return records.filter((record) => ids.delete(record[1]))
}

function rowOf(columns: readonly string[], record: ShapedRecord): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  let index = 1
  for (const column of columns) {
    const value = record[index]
    if (value !== null && value !== undefined) row[column] = value
    index += 1
  }
  return row
}

type Outcome = StatementResult | null

/** Runs the first statement for all items, then the second for each item whose conditions are met, and so on. */
async function runForEach<Item extends readonly SqlValue[]>(
  connection: PooledConnection,
  statements: readonly ShapeStatement[],
  items: readonly Item[],
  valuesOf: (statement: ShapeStatement, item: Item) => SqlValue[],
): Promise<Outcome[][]> {
  const results = items.map((): Outcome[] => [])
  for (const statement of statements) {
    const isWanted = results.map((sofar) => isConditionMet(statement.when ?? [], sofar))
    const wanted = items.filter((_, at) => isWanted[at])
    const outcomes =
      statement.many && wanted.length > 0
        ? await runAtOnce(connection, statement.many, wanted)
        : await runApart(
            connection,
            statement.sql,
            wanted.map((item) => valuesOf(statement, item)),
          )
    let next = 0
    for (const [at, sofar] of results.entries()) {
      sofar.push(isWanted[at] ? (outcomes[next] ?? null) : null)
      if (isWanted[at]) next += 1
    }
  }
  return results
}

/** Sends one statement for all items at once; the connection answers in order. */
async function runApart(
  connection: PooledConnection,
  sql: string,
  items: readonly SqlValue[][],
): Promise<Outcome[]> {
  const text = numberPlaceholders(sql)
  const outcomes = await Promise.allSettled(items.map((each) => runSql(connection, text, each)))
  return outcomes.map((outcome) => {
    // The first failure is the cause; later ones only report that the transaction has ended.
    if (outcome.status === 'rejected') throw outcome.reason
    return { changes: outcome.value.count, rows: outcome.value.rows }
  })
}

async function runAtOnce(
  connection: PooledConnection,
  { sql, members, id }: ManyAtOnce,
  items: readonly (readonly SqlValue[])[],
): Promise<Outcome[]> {
  const names = Object.entries(members)
  const objects = items.map((item) =>
    Object.fromEntries(names.map(([name, index]) => [name, jsonOf(item[index])])),
  )
  const { rows } = await runSql(connection, numberPlaceholders(sql), [JSON.stringify(objects)])
  if (id === undefined) return []
  const changed = new Set(rows.map((row) => row['id']))
  return objects.map((each) => ({ changes: changed.has(each[id]) ? 1 : 0, rows: [] }))
}

/** A JSON number cannot represent every amount. */
function jsonOf(value: SqlValue | undefined): string | number | null {
  return typeof value === 'bigint' ? value.toString() : (value ?? null)
}
