import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import type { Engine } from '../../src/store/engine.ts'
import { migrations } from '../../src/store/migrations/list.ts'
import { migrate } from '../../src/store/migrations/migrate.ts'
import { openStore } from '../../src/store/open-store.ts'
import { type FillSize, fillDatabase } from './fill-database.ts'
import { measureAnswers } from './measure-answers.ts'

/*
 * Fills an empty database with keys and a log, and then measures the answers of the console's back end. The generated
 * ledger balances, so that the audit can run on it too.
 */

const usage = `usage: npm run fill -- --database URL [--keys 1000000] [--rows 10000000] [--measure]
URL         postgres://… or sqlite://FILE
--keys      a million on Postgres and 100000 on SQLite when absent
--measure   only measures, on a database that has been filled before`

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: '' },
    keys: { type: 'string' },
    rows: { type: 'string', default: '10000000' },
    measure: { type: 'boolean', default: false },
  },
})
const isSqlite = values.database.startsWith('sqlite://')
const size: FillSize = {
  keys: Number(values.keys ?? (isSqlite ? 100_000 : 1_000_000)),
  rows: Number(values.rows),
}
if (!(isSqlite || values.database.startsWith('postgres')) || !(size.keys > 0 && size.rows > 0)) {
  console.error(usage)
  process.exit(2)
}

const engine = await openStore(values.database)
try {
  const nowMs = Date.now()
  await migrate(engine, migrations, nowMs)
  if (!values.measure) {
    await checkEmpty(engine)
    await fillDatabase(engine, size, nowMs, (line) => console.log(line))
  }
  const isReached = await measureAnswers(engine, (line) => console.log(line))
  process.exitCode = isReached ? 0 : 1
} finally {
  await engine.close()
}

/** Prevents the bench from filling a database that is in use. */
async function checkEmpty({ db }: Engine): Promise<void> {
  const { rows } = await sql`SELECT 1 FROM account LIMIT 1`.execute(db)
  if (rows.length > 0)
    throw new Error('The database already contains accounts; use an empty database.')
}
