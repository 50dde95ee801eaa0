import { sql } from 'kysely'
import type { Engine } from '../../store/engine.ts'

export interface Imbalance {
  readonly kind: 'account' | 'key' | 'budget'
  readonly id: string
  readonly differenceNano: bigint
}

interface Row {
  kind: Imbalance['kind']
  id: string
  difference_nano: bigint
}

/**
 * Checks L1: for every account, credits = available + unused lease money + entries; for every key with a quota, quota =
 * available + unused lease money + entries; the same for every counter of a budget, with its limit and the entries that
 * name it; and the spending that keys, leases and counters record equals the entries. One query, which holds at every
 * committed state: an empty result means that every charge is accounted for. It reads every entry; the self-audit has a
 * cheaper method for the same result.
 */
export async function findImbalances(engine: Engine): Promise<Imbalance[]> {
  const imbalances = sql<Row>`(
    WITH leased AS (
      SELECT account_id, key_id, SUM(granted_nano) AS granted, SUM(used_nano) AS used
      FROM lease GROUP BY account_id, key_id),
    entered AS (
      SELECT account_id, key_id, SUM(cost_nano) AS cost FROM entry GROUP BY account_id, key_id)
    SELECT 'account' AS kind, id, CAST(difference AS BIGINT) AS difference_nano FROM (
      SELECT a.id, COALESCE(c.credited, 0) - a.available_nano - COALESCE(l.rest, 0)
        - COALESCE(e.cost, 0) AS difference
      FROM account a
      LEFT JOIN (SELECT account_id, SUM(amount_nano) AS credited FROM credit GROUP BY account_id) c
        ON c.account_id = a.id
      LEFT JOIN (SELECT account_id, SUM(granted - used) AS rest FROM leased GROUP BY account_id) l
        ON l.account_id = a.id
      LEFT JOIN (SELECT account_id, SUM(cost) AS cost FROM entered GROUP BY account_id) e
        ON e.account_id = a.id) AS accounts WHERE difference <> 0
    UNION ALL
    SELECT 'key' AS kind, id,
      CAST(CASE WHEN of_quota <> 0 THEN of_quota ELSE of_spending END AS BIGINT) AS difference_nano FROM (
      SELECT k.id,
        CASE WHEN k.quota_nano IS NULL THEN 0 ELSE k.quota_nano - k.available_nano
          - COALESCE(l.granted, 0) - k.spent_nano END AS of_quota,
        k.spent_nano + COALESCE(l.used, 0) - COALESCE(e.cost, 0) AS of_spending
      FROM api_key k
      LEFT JOIN (SELECT key_id, SUM(granted) AS granted, SUM(used) AS used FROM leased GROUP BY key_id) l
        ON l.key_id = k.id
      LEFT JOIN (SELECT key_id, SUM(cost) AS cost FROM entered GROUP BY key_id) e
        ON e.key_id = k.id) AS keys WHERE of_quota <> 0 OR of_spending <> 0
    UNION ALL
    SELECT 'budget' AS kind, id,
      CAST(CASE WHEN of_limit <> 0 THEN of_limit ELSE of_spending END AS BIGINT) AS difference_nano FROM (
      SELECT c.id, c.limit_nano - c.available_nano - COALESCE(l.rest, 0) - c.spent_nano AS of_limit,
        c.spent_nano - c.earlier_nano - COALESCE(e.cost, 0) AS of_spending
      FROM budget_counter c
      LEFT JOIN (
        SELECT s.counter_id, SUM(lease.granted_nano - lease.used_nano) AS rest
        FROM lease JOIN budget_set s ON s.set_id = lease.budget_set GROUP BY s.counter_id) l
        ON l.counter_id = c.id
      LEFT JOIN (
        SELECT s.counter_id, SUM(entry.cost_nano) AS cost
        FROM entry JOIN budget_set s ON s.set_id = entry.budget_set GROUP BY s.counter_id) e
        ON e.counter_id = c.id) AS counters WHERE of_limit <> 0 OR of_spending <> 0)`
  const rows = await engine.db.selectFrom(imbalances.as('imbalances')).selectAll().execute()
  return rows.map((row) => ({ kind: row.kind, id: row.id, differenceNano: row.difference_nano }))
}
