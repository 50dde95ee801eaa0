import type { Engine } from '../../store/engine.ts'

/** The last id of the next page of entries after `afterId`, at most `throughId`. */
export async function endOfPage(
  { db }: Engine,
  afterId: string,
  throughId: string,
  rowsMax: number,
): Promise<string> {
  const row = await db
    .selectFrom('entry')
    .select('request_id')
    .where('request_id', '>', afterId)
    .where('request_id', '<=', throughId)
    .orderBy('request_id')
    .limit(1)
    .offset(rowsMax - 1)
    .executeTakeFirst()
  return row?.request_id ?? throughId
}
