import { sql } from 'kysely'
import type { Engine } from '../store/engine.ts'

export interface Imbalance {
  readonly kind: 'account' | 'key'
  readonly id: string
  readonly differenceNano: bigint
}

interface Row {
  kind: 'account' | 'key'
  id: string
  difference_nano: bigint
}

/**
 * L1: for every account, credits = available + what leases have left + entries; for every key with a quota,
 * quota = available + what leases have left + entries; and what keys and leases count as spent is what the
 * entries say. One query, true at every committed state: an empty answer means that every nano is explained.
 */
export async function findImbalances(engine: Engine): Promise<Imbalance[]> {
  const result = await sql<Row>`
    SELECT 'account' AS kind, id, CAST(difference AS BIGINT) AS difference_nano FROM (
      SELECT a.id,
        COALESCE((SELECT SUM(amount_nano) FROM credit WHERE account_id = a.id), 0) - a.available_nano
        - COALESCE((SELECT SUM(granted_nano - used_nano) FROM lease WHERE account_id = a.id), 0)
        - COALESCE((SELECT SUM(cost_nano) FROM entry WHERE account_id = a.id), 0) AS difference
      FROM account a) AS accounts WHERE difference <> 0
    UNION ALL
    SELECT 'key' AS kind, id,
      CAST(CASE WHEN of_quota <> 0 THEN of_quota ELSE of_spending END AS BIGINT) AS difference_nano FROM (
      SELECT k.id,
        CASE WHEN k.quota_nano IS NULL THEN 0 ELSE k.quota_nano - k.available_nano
          - COALESCE((SELECT SUM(granted_nano) FROM lease WHERE key_id = k.id), 0) - k.spent_nano END
          AS of_quota,
        k.spent_nano + COALESCE((SELECT SUM(used_nano) FROM lease WHERE key_id = k.id), 0)
          - COALESCE((SELECT SUM(cost_nano) FROM entry WHERE key_id = k.id), 0) AS of_spending
      FROM api_key k) AS keys WHERE of_quota <> 0 OR of_spending <> 0`.execute(engine.db)
  return result.rows.map((row) => ({
    kind: row.kind,
    id: row.id,
    differenceNano: row.difference_nano,
  }))
}
