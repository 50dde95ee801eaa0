import { sql, type Transaction } from 'kysely'
import type { Tables } from '../store/tables/tables.ts'

export type RecordingTx = Transaction<Tables>

/** Deletes these recordings of an account, whose policy is locked. */
export async function deleteRows(
  tx: RecordingTx,
  accountId: string,
  rows: readonly { readonly request_id: string; readonly stored_bytes: number }[],
): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map((row) => row.request_id)
  await tx.deleteFrom('recording').where('request_id', 'in', ids).execute()
  const bytes = rows.reduce((sum, row) => sum + row.stored_bytes, 0)
  await tx
    .updateTable('recording_policy')
    .set({ stored_bytes: sql`stored_bytes - ${bytes}` })
    .where('account_id', '=', accountId)
    .execute()
}
