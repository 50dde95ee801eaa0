import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** The ids that exist in the table. */
export async function knownIds(
  db: Kysely<Tables>,
  table: 'service_group' | 'model' | 'account',
  ids: Iterable<string>,
): Promise<Set<string>> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return new Set()
  const rows = await db.selectFrom(table).select('id').where('id', 'in', wanted).execute()
  return new Set(rows.map((row) => row.id))
}
