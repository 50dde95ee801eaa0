import type { Writing } from '../store/write.ts'

/**
 * Ends a key for good. Its row stays, without the value: the log and the ledger still refer to it, and requests
 * that are under way are settled as always.
 */
export async function deleteKey(
  { tx, announce }: Writing,
  id: string,
  nowMs: number,
): Promise<boolean> {
  const result = await tx
    .updateTable('api_key')
    .set({
      enabled: 0,
      deleted_at: nowMs,
      value_hash: `deleted ${id}`,
      value_sealed: '',
      value_hint: '',
      imported: 0,
    })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  announce('key', id)
  return result.numUpdatedRows > 0n
}
