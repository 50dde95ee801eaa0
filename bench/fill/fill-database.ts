import { sql } from 'kysely'
import type { Engine } from '../../src/store/engine.ts'
import { makeMonths } from '../../src/store/months.ts'
import { fillHours, fillLog, fillPeople, finish } from './fill-statements.ts'

export interface FillSize {
  readonly keys: number
  readonly rows: number
}

const rowsPerStep = 500_000
const dayMs = 86_400_000
/** The log reaches this far back. */
export const logMs = 90 * dayMs

/** Accounts, keys and a log of the last 90 days, made by the database itself, since nothing else is as quick. */
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
  for (let monthMs = startMs; monthMs <= nowMs; monthMs += 28 * dayMs) {
    await makeMonths(engine, monthMs)
  }
  await makeMonths(engine, nowMs)
  for (const statement of fillPeople(size.keys, nowMs)) await run(engine, statement)
  tell(`${size.keys} keys`)
  for (let from = 0; from < size.rows; from += rowsPerStep) {
    const to = Math.min(from + rowsPerStep, size.rows)
    const stepMs = logMs / size.rows
    await engine.db.transaction().execute(async (tx) => {
      for (const statement of fillLog({ from, to, startMs, stepMs, keys: size.keys }))
        await sql.raw(statement).execute(tx)
    })
    tell(`${to} rows`)
  }
  await run(engine, fillHours)
  tell('sums of the hours')
  for (const statement of finish) await run(engine, statement)
  tell('books balanced, statistics gathered')
}

async function run({ db }: Engine, statement: string): Promise<void> {
  await sql.raw(statement).execute(db)
}
