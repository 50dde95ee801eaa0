import type { Writing } from '../store/changes/write.ts'
import { retireSupplied } from './retired-value.ts'

/**
 * Deletes a key permanently. The row stays without its value, because the log and the ledger still refer to the row,
 * and because requests in flight are settled as usual.
 */
export async function deleteKey(writing: Writing, id: string, nowMs: number): Promise<boolean> {
  const { tx, announce } = writing
  await retireSupplied(writing, id)
  const result = await tx
    .updateTable('api_key')
    .set({
      enabled: 0,
      deleted_at: nowMs,
      value_hash: `deleted ${id}`,
      value_sealed: '',
      value_hint: '',
      imported: 0,
      stopped: 0,
    })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  announce('key', id)
  return result.numUpdatedRows > 0n
}
