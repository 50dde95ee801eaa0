import type { Engine } from '../../../store/engine.ts'
import type { SeriesBy } from '../../contract.ts'

/** Display names of keys or accounts; everything else is shown by id. */
export async function namesOf(
  { db }: Engine,
  by: SeriesBy,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0 || (by !== 'key' && by !== 'account')) return new Map()
  const table = by === 'key' ? 'api_key' : 'account'
  const rows = await db.selectFrom(table).select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row.name]))
}
