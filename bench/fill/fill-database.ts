import { type Kysely, sql } from 'kysely'
import type { Engine } from '../../src/store/engine.ts'
import { changeSchema } from '../../src/store/migrations/migrate.ts'
import { makeMonths } from '../../src/store/tables/months.ts'
import type { Tables } from '../../src/store/tables/tables.ts'
import { fillLog, fillSums } from './fill-log.ts'
import { balanceLedger, fillPeople } from './fill-people.ts'
import { fillPlaceholders } from './fill-words.ts'

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
 * way. All of it is one transaction without a time limit: an unbalanced ledger is never visible, and a fill that
 * fails can be repeated.
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
  const words = fillPlaceholders[engine.kind]
  for (let monthMs = startMs; monthMs <= nowMs; monthMs += 28 * dayMs) {
    await makeMonths(engine, monthMs)
  }
  await makeMonths(engine, nowMs)
  if (engine.kind === 'sqlite') await runAll(engine.db, hurry)
  await changeSchema(engine, async (tx) => {
    const restore = engine.kind === 'sqlite' ? await dropIndexes(tx) : []
    await runAll(tx, fillPeople(size.keys, { startMs, nowMs }, words))
    tell(`${size.keys} keys`)
    const stepMs = logMs / size.rows
    for (let from = 0; from < size.rows; from += rowsPerStep) {
      const to = Math.min(from + rowsPerStep, size.rows)
      await runAll(tx, fillLog({ from, to, startMs, stepMs, keys: size.keys }, words))
      tell(`${to} rows`)
    }
    await runAll(tx, fillSums(words))
    tell('sums')
    await runAll(tx, restore)
    tell('indexes')
    await runAll(tx, balanceLedger)
  })
  tell('ledger balanced')
  await runAll(engine.backgroundDb, words.analyze)
  tell('statistics gathered')
}

const hurry = ['PRAGMA cache_size = -1000000', 'PRAGMA synchronous = OFF']

/**
 * SQLite builds an index over existing rows in a fraction of the time. Returns the statements that build the indexes.
 */
async function dropIndexes(db: Kysely<Tables>): Promise<string[]> {
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

async function runAll(db: Kysely<Tables>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
