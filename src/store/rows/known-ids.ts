import type { Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'
import { selectAll } from './in-slices.ts'

/** The ids that exist in the table. */
export async function knownIds(
  db: Kysely<Tables>,
  table: 'service_group' | 'model' | 'account' | 'upstream',
  ids: Iterable<string>,
): Promise<Set<string>> {
  const rows = await selectAll(ids, (some) =>
    db.selectFrom(table).select('id').where('id', 'in', some).execute(),
  )
  return new Set(rows.map((row) => row.id))
}
