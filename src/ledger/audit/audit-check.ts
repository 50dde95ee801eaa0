import { sql } from 'kysely'
import type { Engine } from '../../store/engine.ts'
import { databaseNow } from '../../store/rows/database-now.ts'
import { type AuditState, auditName } from './audit-state.ts'
import type { LedgerFinding } from './finding-line.ts'

export interface BalanceFinding extends LedgerFinding {
  readonly accountId: string
}

interface Row {
  kind: BalanceFinding['kind']
  account_id: string
  id: string
  difference_nano: bigint
  through: string
}

/** Counters of periods that ended longer ago are left to the full audit: their requests have ended. */
const endedMs = 24 * 60 * 60_000

/** Maximum number of findings that one check reports. */
export const findingsMax = 1_000

/**
 * Checks L1 without reading old entries. A counter of a budget is compared with its leases and its own spending. The
 * cost of a key's entries is its audit point plus the entries after the point. The cost of an account's entries is the
 * spending of its keys and leases, which the same query compares with the keys' entries. The check covers all accounts
 * and keys with a lease, recent entries or a finding, and one page of the others. It is one SQL statement and so sees
 * one state of the database. Undefined when another process moved the point meanwhile.
 */
export async function checkBalances(
  engine: Engine,
  { through, afterAccount, afterKey }: AuditState,
  pageRows: number,
): Promise<BalanceFinding[] | undefined> {
  const findings = sql<Row>`(
    WITH recent AS (
      SELECT account_id, key_id, SUM(cost_nano) AS cost FROM entry WHERE request_id > ${through}
      GROUP BY account_id, key_id),
    leased AS (
      SELECT account_id, key_id, SUM(granted_nano) AS granted, SUM(used_nano) AS used
      FROM lease GROUP BY account_id, key_id),
    account_scope AS (
      SELECT account_id AS id FROM leased UNION SELECT account_id FROM recent
      UNION SELECT account_id FROM audit_stop
      UNION SELECT id FROM (
        SELECT id FROM account WHERE id > ${afterAccount} ORDER BY id LIMIT ${pageRows}) AS account_page),
    key_scope AS (
      SELECT key_id AS id FROM leased UNION SELECT key_id FROM recent
      UNION SELECT id FROM api_key WHERE account_id IN (SELECT account_id FROM audit_stop)
      UNION SELECT id FROM (
        SELECT id FROM api_key WHERE id > ${afterKey} ORDER BY id LIMIT ${pageRows}) AS key_page),
    account_ledger AS (
      SELECT a.id, COALESCE((SELECT SUM(amount_nano) FROM credit WHERE account_id = a.id), 0)
        - a.available_nano - COALESCE(l.granted, 0)
        - COALESCE((SELECT SUM(spent_nano) FROM api_key WHERE account_id = a.id), 0) AS difference
      FROM account_scope s JOIN account a ON a.id = s.id
      LEFT JOIN (SELECT account_id, SUM(granted) AS granted FROM leased GROUP BY account_id) l
        ON l.account_id = a.id),
    key_ledger AS (
      SELECT k.id, k.account_id,
        CASE WHEN k.quota_nano IS NULL THEN 0 ELSE k.quota_nano - k.available_nano
          - COALESCE(l.granted, 0) - k.spent_nano END AS of_quota,
        k.spent_nano + COALESCE(l.used, 0) - COALESCE(p.cost_nano, 0) - COALESCE(r.cost, 0) AS of_entries
      FROM key_scope s JOIN api_key k ON k.id = s.id
      LEFT JOIN audit_point p ON p.key_id = k.id
      LEFT JOIN (SELECT key_id, SUM(granted) AS granted, SUM(used) AS used FROM leased GROUP BY key_id) l
        ON l.key_id = k.id
      LEFT JOIN (SELECT key_id, SUM(cost) AS cost FROM recent GROUP BY key_id) r ON r.key_id = k.id),
    budget_ledger AS (
      SELECT c.id, c.account_id, c.limit_nano - c.available_nano - c.spent_nano - COALESCE((
        SELECT SUM(lease.granted_nano - lease.used_nano)
        FROM budget_set s JOIN lease ON lease.budget_set = s.set_id
        WHERE s.counter_id = c.id), 0) AS difference
      FROM budget_counter c WHERE c.account_id IN (SELECT id FROM account_scope)
        AND (c.ends_at IS NULL OR c.ends_at > ${databaseNow(engine)} - ${endedMs}))
    SELECT kind, account_id, id, CAST(difference AS BIGINT) AS difference_nano,
      (SELECT through FROM audit_state WHERE name = ${auditName}) AS through
    FROM (
      SELECT 'credit' AS kind, id AS account_id, id, difference FROM account_ledger
      UNION ALL SELECT 'quota', account_id, id, of_quota FROM key_ledger
      UNION ALL SELECT 'entries', account_id, id, of_entries FROM key_ledger
      UNION ALL SELECT 'budget', account_id, id, difference FROM budget_ledger) AS ledger
    WHERE difference <> 0 LIMIT ${findingsMax})`
  const rows = await engine.db.selectFrom(findings.as('findings')).selectAll().execute()
  if (rows.some((row) => row.through !== through)) return undefined
  return rows.map((row) => ({
    kind: row.kind,
    accountId: row.account_id,
    id: row.id,
    differenceNano: row.difference_nano,
  }))
}
