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

export type Resealed = 'resealed' | 'same' | 'unreadable'

/** Seals one value with the current key. A value that was changed meanwhile stays, and so does one that no key opens. */
export async function resealValue(
  tx: Transaction<Tables>,
  vault: Vault,
  { table, id, column, purpose }: SealedColumn,
  rowId: string | number,
): Promise<Resealed> {
  const [from, key, value] = [sql.table(table), sql.ref(id), sql.ref(column)]
  const { rows } = await sql<{ sealed: string | null }>`
    SELECT ${value} AS sealed FROM ${from} WHERE ${key} = ${rowId}`.execute(tx)
  const former = rows[0]?.sealed ?? undefined
  const sealed = former === undefined ? undefined : resealed(vault, former, purpose)
  if (sealed === undefined) return 'same'
  if (sealed === unreadable) return 'unreadable'
  const { numAffectedRows } = await sql`
    UPDATE ${from} SET ${value} = ${sealed} WHERE ${key} = ${rowId} AND ${value} = ${former}`.execute(
    tx,
  )
  return numAffectedRows === 1n ? 'resealed' : 'same'
}

const unreadable = Symbol('unreadable')

function resealed(vault: Vault, former: string, purpose: string) {
  try {
    return vault.reseal(former, purpose)
  } catch {
    // Damaged, or copied from another database.
    return unreadable
  }
}
