import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables/tables.ts'
import type { Vault } from './vault.ts'

/** A column with sealed values. */
export interface SealedColumn {
  readonly table: string
  readonly id: string
  readonly column: string
  readonly purpose: string
}

/** Seals one value with the current key; false if nothing was sealed. A value that was changed meanwhile stays. */
export async function resealValue(
  tx: Transaction<Tables>,
  vault: Vault,
  { table, id, column, purpose }: SealedColumn,
  rowId: string | number,
): Promise<boolean> {
  const [from, key, value] = [sql.table(table), sql.ref(id), sql.ref(column)]
  const { rows } = await sql<{ sealed: string | null }>`
    SELECT ${value} AS sealed FROM ${from} WHERE ${key} = ${rowId}`.execute(tx)
  const former = rows[0]?.sealed ?? undefined
  const sealed = former === undefined ? undefined : vault.reseal(former, purpose)
  if (sealed === undefined) return false
  const { numAffectedRows } = await sql`
    UPDATE ${from} SET ${value} = ${sealed} WHERE ${key} = ${rowId} AND ${value} = ${former}`.execute(
    tx,
  )
  return numAffectedRows === 1n
}
