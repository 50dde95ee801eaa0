import { sql, type Transaction } from 'kysely'
import type { Engine } from '../engine.ts'
import { usage } from '../migrations/0003-usage.ts'
import { lives } from '../migrations/0013-lives.ts'
import {
  type AppliedRow,
  applyAll,
  changeSchema,
  checkHistory,
  makeHistory,
  readHistory,
} from '../migrations/migrate.ts'
import type { Migration } from '../migrations/migration.ts'
import { monthTexts } from '../tables/months.ts'
import type { Tables } from '../tables/tables.ts'
import type { BackupCell, BackupHead, BackupTable } from './backup-lines.ts'
import { BackupProblem } from './backup-problem.ts'
import { checkReplaceable } from './check-replaceable.ts'
import { deferConstraints } from './defer-constraints.ts'
import { readBackup } from './read-backup.ts'
import { objectsOf } from './table-list.ts'

/** Rows that are inserted with one statement. */
const rowsMax = 1_000
const batchBytes = 2 * 2 ** 20

export interface RestoreWork {
  readonly engine: Engine
  readonly path: string
  readonly list: readonly Migration[]
  /** Whether the rows of the database may be deleted. */
  readonly mayReplace: boolean
  readonly nowMs: number
  /** Throws if the restored database must not be used. Called before the commit. */
  readonly verify: (tx: Transaction<Tables>) => Promise<void>
  readonly progress: (table: string, rows: number) => void
}

export interface Restored {
  readonly rows: number
  /** The migrations that the backup did not have. */
  readonly migrated: readonly string[]
}

/**
 * Makes the database equal to the backup, in one transaction: after a failure it is as it was before. The file is read
 * twice, so that a damaged one is found before the database is touched.
 */
export async function restoreBackup(work: RestoreWork): Promise<Restored> {
  const { engine, path, list } = work
  let written: BackupHead['migrations'] = []
  await readBackup(path, {
    head: async ({ migrations }) => {
      written = migrations
    },
    table: async () => undefined,
    row: async () => undefined,
  })
  // Only now: a damaged head may look like that of another version.
  checkHead(path, written, list)
  return changeSchema(engine, async (tx) => {
    await clear(tx, work)
    const loading = new Loading(tx, work)
    const { rows } = await readBackup(path, loading)
    const migrated = await loading.finish()
    await work.verify(tx)
    return { rows, migrated }
  })
}

function checkHead(
  path: string,
  migrations: BackupHead['migrations'],
  list: readonly Migration[],
): void {
  try {
    checkHistory(migrations, list)
  } catch (error) {
    throw new BackupProblem(
      `${path} was written by a newer or different version of Tollgate; restore it with that version.`,
      { cause: error },
    )
  }
}

function checkTarget(history: readonly AppliedRow[], list: readonly Migration[]): void {
  try {
    checkHistory(history, list)
  } catch (error) {
    throw new BackupProblem(
      'The database was last used by a newer or different version of Tollgate, whose tables this version does not know; restore to a new database.',
      { cause: error },
    )
  }
}

/** Deletes the tables of the gateway; no others. */
async function clear(tx: Transaction<Tables>, work: RestoreWork): Promise<void> {
  const { engine, list } = work
  await makeHistory(tx)
  const history = await readHistory(tx)
  if (history.length > 0) {
    checkTarget(history, list)
    const applied = new Set(history.map(({ id }) => id))
    await checkReplaceable(tx, engine, work.mayReplace, {
      tables: objectsOf(
        list.filter(({ id }) => applied.has(id)),
        engine.kind,
      ).tables,
      knowsLives: applied.has(lives.id),
    })
  }
  const { tables, functions } = objectsOf(list, engine.kind)
  for (const table of ['migration', ...tables].toReversed())
    await sql.raw(`DROP TABLE IF EXISTS ${table}`).execute(tx)
  for (const name of functions) await sql.raw(`DROP FUNCTION IF EXISTS ${name}`).execute(tx)
}

/** Fills the tables, in the schema that the backup was written with, and then migrates. */
class Loading {
  readonly #tx: Transaction<Tables>
  readonly #work: RestoreWork
  #release: () => Promise<void> = async () => undefined
  #pending: readonly Migration[] = []
  #known: ReadonlySet<string> = new Set()
  #table: BackupTable | undefined
  #rows: BackupCell[][] = []
  #bytes = 0
  #count = 0

  constructor(tx: Transaction<Tables>, work: RestoreWork) {
    this.#tx = tx
    this.#work = work
  }

  async head({ migrations, oldestRequestMs }: BackupHead): Promise<void> {
    const { engine, list, nowMs } = this.#work
    const applied = new Set(migrations.map(({ id }) => id))
    const made = list.filter(({ id }) => applied.has(id))
    this.#pending = list.filter(({ id }) => !applied.has(id))
    this.#known = new Set(objectsOf(made, engine.kind).tables)
    await makeHistory(this.#tx)
    await applyAll(this.#tx, engine.kind, { list: made, pending: made }, nowMs)
    if (engine.kind === 'postgres' && applied.has(usage.id)) {
      for (const text of monthTexts(oldestRequestMs, nowMs)) await sql.raw(text).execute(this.#tx)
    }
    // A migration may have inserted rows; the backup has them too.
    for (const table of [...this.#known].toReversed())
      await sql.raw(`DELETE FROM ${table}`).execute(this.#tx)
    this.#release = await deferConstraints(this.#tx, engine.kind)
  }

  async table(table: BackupTable): Promise<void> {
    await this.#endTable()
    const names = [table.table, ...table.columns]
    if (!this.#known.has(table.table) || !names.every((name) => /^[a-z][a-z0-9_]*$/.test(name)))
      throw new BackupProblem(`The backup has a table ${table.table}, which is not known.`)
    this.#table = table
  }

  async row(row: readonly BackupCell[], bytes: number): Promise<void> {
    this.#rows.push([...row])
    this.#bytes += bytes
    if (this.#rows.length >= rowsMax || this.#bytes >= batchBytes) await this.#flush()
  }

  async finish(): Promise<string[]> {
    await this.#endTable()
    await this.#release()
    const { engine, list, nowMs } = this.#work
    await applyAll(this.#tx, engine.kind, { list, pending: this.#pending }, nowMs)
    return this.#pending.map(({ id }) => id)
  }

  async #endTable(): Promise<void> {
    await this.#flush()
    this.#count = 0
    const { table, sequence } = this.#table ?? { table: '', sequence: null }
    if (sequence === null) return
    const { kind } = this.#work.engine
    for (const text of sequenceTexts[kind](table, Math.floor(sequence)))
      await sql.raw(text).execute(this.#tx)
  }

  async #flush(): Promise<void> {
    if (!this.#table || this.#rows.length === 0) return
    const { table, columns } = this.#table
    const rows = this.#rows
    this.#rows = []
    this.#bytes = 0
    await insertRows[this.#work.engine.kind](this.#tx, table, columns, rows)
    this.#count += rows.length
    this.#work.progress(table, this.#count)
  }
}

type Insert = (
  tx: Transaction<Tables>,
  table: string,
  columns: readonly string[],
  rows: readonly BackupCell[][],
) => Promise<unknown>

/** All rows are one JSON text: one parameter instead of thousands. */
const insertRows: Readonly<Record<Engine['kind'], Insert>> = {
  sqlite: (tx, table, columns, rows) => {
    const cells = columns.map((_, at) => sql.raw(`json_extract(value, '$[${at}]')`))
    return sql`INSERT INTO ${sql.id(table)} (${sql.join(columns.map((each) => sql.id(each)))})
      SELECT ${sql.join(cells)} FROM json_each(${JSON.stringify(rows)})`.execute(tx)
  },
  postgres: (tx, table, columns, rows) => {
    const names = sql.join(columns.map((each) => sql.id(each)))
    const objects = rows.map((row) =>
      Object.fromEntries(columns.map((name, at) => [name, row[at]])),
    )
    return sql`INSERT INTO ${sql.id(table)} (${names}) OVERRIDING SYSTEM VALUE SELECT ${names}
      FROM json_populate_recordset(NULL::${sql.id(table)},
        CAST(CAST(${JSON.stringify(objects)} AS TEXT) AS JSON))`.execute(tx)
  },
}

/** The next row gets a number that no row has had, also if the last rows were deleted. */
const sequenceTexts: Readonly<
  Record<Engine['kind'], (table: string, last: number) => readonly string[]>
> = {
  sqlite: (table, last) => [
    `DELETE FROM sqlite_sequence WHERE name = '${table}'`,
    `INSERT INTO sqlite_sequence (name, seq) VALUES ('${table}', ${last})`,
  ],
  postgres: (table, last) => [
    `SELECT setval(CAST(pg_get_serial_sequence('${table}', attname) AS regclass), ${last})
      FROM pg_attribute WHERE attrelid = CAST('${table}' AS regclass) AND attidentity <> ''`,
  ],
}
