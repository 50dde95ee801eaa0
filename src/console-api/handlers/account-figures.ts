import { sql } from 'kysely'

/**
 * Columns of the account `a`. Held money is the unused part of open leases. Spent money is credits minus balance minus
 * held money; the ledger keeps it equal to the sum of all entries, which need not be read.
 */
export const accountFigures = [
  sql<bigint>`CAST(COALESCE((SELECT SUM(granted_nano - used_nano) FROM lease WHERE account_id = a.id), 0)
    AS BIGINT)`.as('held_nano'),
  sql<bigint>`CAST(COALESCE((SELECT SUM(amount_nano) FROM credit WHERE account_id = a.id), 0)
    AS BIGINT)`.as('credit_nano'),
  sql<number>`(SELECT COUNT(*) FROM api_key WHERE account_id = a.id AND deleted_at IS NULL)`.as(
    'key_count',
  ),
] as const

export function describeFigures(row: {
  readonly available_nano: bigint
  readonly held_nano: bigint
  readonly credit_nano: bigint
  readonly key_count: number
}) {
  return {
    availableNano: String(row.available_nano),
    heldNano: String(row.held_nano),
    spentNano: String(row.credit_nano - row.available_nano - row.held_nano),
    keyCount: row.key_count,
  }
}
