import { sql } from 'kysely'
import type { Engine } from '../../src/store/engine.ts'
import { makeMonths } from '../../src/store/months.ts'
import { fillLog, fillSums } from './fill-log.ts'
import { balanceBooks, fillPeople } from './fill-people.ts'
import { fillWords } from './fill-words.ts'

export interface FillSize {
  readonly keys: number
  readonly rows: number
}

const rowsPerStep = 500_000
const dayMs = 86_400_000
/** The age of the oldest request in the log. */
const logMs = 90 * dayMs

/**
 * Creates accounts, keys and a log of the last 90 days. The database generates the rows itself, which is the fastest
 * way.
 */
export async function fillDatabase(
  engine: Engine,
  size: FillSize,
  nowMs: number,
  print: (line: string) => void,
): Promise<void> {
  const startedMs = performance.now()
  const tell = (what: string): void =>
    print(`${((performance.now() - startedMs) / 1_000).toFixed(0).padStart(6)} s  ${what}`)
  const startMs = nowMs - logMs
  const words = fillWords[engine.kind]
  for (let monthMs = startMs; monthMs <= nowMs; monthMs += 28 * dayMs) {
    await makeMonths(engine, monthMs)
  }
  await makeMonths(engine, nowMs)
  const restore = await dropIndexes(engine)
  await runAll(engine, fillPeople(size.keys, { startMs, nowMs }, words))
  tell(`${size.keys} keys`)
  for (let from = 0; from < size.rows; from += rowsPerStep) {
    const to = Math.min(from + rowsPerStep, size.rows)
    const stepMs = logMs / size.rows
    await engine.db.transaction().execute(async (tx) => {
      for (const statement of fillLog({ from, to, startMs, stepMs, keys: size.keys }, words))
        await sql.raw(statement).execute(tx)
    })
    tell(`${to} rows`)
  }
  await runAll(engine, fillSums(words))
  tell('sums')
  await runAll(engine, restore)
  tell('indexes')
  await runAll(engine, balanceBooks)
  await runAll(engine, words.analyze)
  tell('books balanced, statistics gathered')
}

/**
 * SQLite builds an index over existing rows in a fraction of the time. Returns the statements that build the indexes.
 */
async function dropIndexes({ kind, db }: Engine): Promise<string[]> {
  if (kind !== 'sqlite') return []
  await sql`PRAGMA cache_size = -1000000`.execute(db)
  await sql`PRAGMA synchronous = OFF`.execute(db)
  const { rows } = await sql<{
    name: string
    text: string
  }>`SELECT name, sql AS text FROM sqlite_master
    WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('usage_row', 'usage_hour')`.execute(
    db,
  )
  for (const { name } of rows) await sql.raw(`DROP INDEX ${name}`).execute(db)
  return rows.map((row) => row.text)
}

async function runAll({ db }: Engine, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
