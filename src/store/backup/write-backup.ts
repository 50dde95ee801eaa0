import { createHash } from 'node:crypto'
import type { Snapshot } from '../engine/snapshot.ts'
import type { Engine } from '../engine.ts'
import { checkHistory } from '../migrations/migrate.ts'
import type { Migration } from '../migrations/migration.ts'
import { type BackupHead, type BackupTable, formatVersion, writeRow } from './backup-lines.ts'
import { BackupProblem } from './backup-problem.ts'
import { objectsOf } from './table-list.ts'

/** Rows that are in memory at once: few at first, then as many as fit into `pageBytes`. */
const firstRows = 4
const rowsMax = 2_000
const pageBytes = 2 * 2 ** 20

export interface BackupWork {
  readonly engine: Engine
  readonly list: readonly Migration[]
  readonly version: string
  readonly nowMs: number
  /** Called after each table, and between the pages of a long one. */
  readonly progress: (table: string, rows: number) => void
}

/** The lines of a backup of the database as it is now, in pieces. Changes nothing and migrates nothing. */
export async function writeBackup(
  work: BackupWork,
  write: (text: string) => Promise<void>,
): Promise<{ readonly rows: number; readonly tables: number }> {
  return work.engine.readSnapshot(async (snapshot) => {
    const hash = createHash('sha256')
    const put = async (text: string) => {
      hash.update(text)
      await write(text)
    }
    const { head, tables } = await describe(work, snapshot)
    await put(`${JSON.stringify(head)}\n`)
    let total = 0
    for (const table of tables) {
      await put(`${JSON.stringify(table)}\n`)
      total += await writeTable(work, snapshot, table, put)
    }
    const end = { end: 'backup', rows: total, sha256: hash.digest('hex') }
    await write(`${JSON.stringify(end)}\n`)
    return { rows: total, tables: tables.length }
  })
}

async function writeTable(
  { progress }: BackupWork,
  snapshot: Snapshot,
  { table, columns }: BackupTable,
  put: (text: string) => Promise<void>,
): Promise<number> {
  const names = columns.map((column) => `"${column}"`).join(', ')
  const walk = await snapshot.walk(`SELECT ${names} FROM ${table}`)
  let count = 0
  let wanted = firstRows
  for (;;) {
    const rows = await walk.next(wanted)
    if (rows.length === 0) break
    const text = rows.map((row) => `${writeRow(columns, row)}\n`).join('')
    await put(text)
    count += rows.length
    const fitting = Math.floor((pageBytes * rows.length) / text.length)
    wanted = Math.max(1, Math.min(wanted * 2, fitting, rowsMax))
    progress(table, count)
  }
  return count
}

async function describe(
  { engine, list, version, nowMs }: BackupWork,
  snapshot: Snapshot,
): Promise<{ readonly head: BackupHead; readonly tables: readonly BackupTable[] }> {
  const migrations = await readMigrations(snapshot, list)
  const applied = new Set(migrations.map(({ id }) => id))
  const names = objectsOf(
    list.filter(({ id }) => applied.has(id)),
    engine.kind,
  ).tables
  const tables: BackupTable[] = []
  for (const table of names) tables.push(await describeTable(engine.kind, snapshot, table))
  const head: BackupHead = {
    tollgate: 'backup',
    format: formatVersion,
    version,
    engine: engine.kind,
    madeAtMs: nowMs,
    migrations,
    oldestRequestMs: await oldestRequest(snapshot),
  }
  return { head, tables }
}

async function readMigrations(
  snapshot: Snapshot,
  list: readonly Migration[],
): Promise<BackupHead['migrations']> {
  const rows = await snapshot
    .rows('SELECT id, hash FROM migration ORDER BY id')
    .catch((error: unknown) => {
      throw new BackupProblem('The database is empty: there is nothing to back up.', {
        cause: error,
      })
    })
  const migrations = rows.map((row) => ({ id: String(row['id']), hash: String(row['hash']) }))
  try {
    checkHistory(migrations, list)
  } catch (error) {
    throw new BackupProblem(error instanceof Error ? error.message : String(error), {
      cause: error,
    })
  }
  return migrations
}

async function oldestRequest(snapshot: Snapshot): Promise<number | null> {
  const ids: string[] = []
  for (const table of ['entry', 'usage_row']) {
    const [row] = await snapshot.rows(`SELECT MIN(request_id) AS id FROM ${table}`)
    if (typeof row?.['id'] === 'string') ids.push(row['id'])
  }
  // A request id begins with its time: 48 bits in hexadecimal digits, with a dash after the eighth.
  const ms = Number.parseInt((ids.sort()[0] ?? '').replace('-', '').slice(0, 12), 16)
  return Number.isSafeInteger(ms) ? ms : null
}

async function describeTable(
  kind: Engine['kind'],
  snapshot: Snapshot,
  table: string,
): Promise<BackupTable> {
  const columns = await snapshot.rows(columnsSql[kind](table))
  const [counter] = await snapshot.rows(sequenceSql[kind](table))
  const last = counter?.['last']
  return {
    table,
    columns: columns.map((row) => String(row['name'])),
    sequence: typeof last === 'number' ? last : null,
  }
}

/** The columns that hold values of their own; the database computes the others. */
const columnsSql: Readonly<Record<Engine['kind'], (table: string) => string>> = {
  sqlite: (table) => `SELECT name FROM pragma_table_xinfo('${table}') WHERE hidden = 0`,
  postgres: (table) => `SELECT attname AS name FROM pg_attribute
    WHERE attrelid = CAST('${table}' AS regclass) AND attnum > 0 AND NOT attisdropped
      AND attgenerated = '' ORDER BY attnum`,
}

const sequenceSql: typeof columnsSql = {
  sqlite: (table) => `SELECT seq AS last FROM sqlite_sequence WHERE name = '${table}'`,
  postgres: (table) => `SELECT pg_sequence_last_value(CAST(
      pg_get_serial_sequence('${table}', attname) AS regclass)) AS last
    FROM pg_attribute WHERE attrelid = CAST('${table}' AS regclass) AND attidentity <> ''`,
}
