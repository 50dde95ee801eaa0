import { readRows } from '../engine/row-values.ts'
import type { Snapshot } from '../engine/snapshot.ts'
import { SqliteThread } from './sqlite-thread.ts'

/**
 * A read transaction on a thread of its own. Writers continue; until the transaction ends, their changes stay in the
 * write-ahead log, which grows meanwhile.
 */
export async function readSqliteSnapshot<Value>(
  path: string,
  work: (snapshot: Snapshot) => Promise<Value>,
): Promise<Value> {
  const thread = await SqliteThread.open(path, { readonly: true })
  try {
    await thread.query('BEGIN', [])
    return await work({
      rows: async (sql) => readRows((await thread.query(sql, [])).rows),
      walk: async (sql) => {
        await thread.walk(sql)
        return { next: async (rowsMax) => readRows(await thread.nextRows(rowsMax)) }
      },
    })
  } finally {
    await thread.close()
  }
}
