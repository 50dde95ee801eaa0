import type { Generated } from 'kysely'

/** The limits of a key, a member or an account. Null: no limit. */
export interface BudgetColumns {
  daily_nano: Generated<bigint | null>
  weekly_nano: Generated<bigint | null>
  monthly_nano: Generated<bigint | null>
  budget_zone: Generated<string>
  budget_month_day: Generated<number>
  budget_alert_percent: Generated<number | null>
  /** Another number after each change of the columns above; 0 while there never was a limit. */
  budget_version: Generated<number>
  /** The same as `budget_kinds_at`, by a version before migration 0038. Counters have this moment in their ids. */
  budget_since: Generated<number>
  /** Since when the owner has these kinds of limits and this calendar; 0: from its beginning. */
  budget_kinds_at: Generated<number>
}

export interface TotalColumn {
  total_nano: Generated<bigint | null>
}

/** The set of counters that a lease or an entry is charged to; empty or null when no limit applies. */
export interface BudgetSetColumn {
  budget_set: Generated<string | null>
}

/** One limit in one period. `available` is the limit minus what is spent and what leases have. */
export interface BudgetCounterTable {
  id: string
  account_id: string
  /** `key`, `member` or `account`. */
  owner_kind: string
  owner_id: string
  /** `total`, `day`, `week` or `month`. */
  period: string
  starts_at: number
  /** Null for a total, which never ends. */
  ends_at: number | null
  limit_nano: bigint
  /** An alert is due when this much is spent. */
  alert_nano: bigint | null
  available_nano: bigint
  /** Includes `earlier_nano`. */
  spent_nano: bigint
  /** `budget_since` of the owner if that was within the period; part of the id. */
  since_at: Generated<number | null>
  /** The amount that was spent in the period without this counter, mostly before the limit was set. */
  earlier_nano: Generated<bigint>
  /** The setting of limits for which the counter was raised to all spending in the period; null: none. */
  counted_for: Generated<number | null>
}

export interface BudgetSetTable {
  set_id: string
  counter_id: string
}

/**
 * The cost of entries that name a set of counters which does not exist. There are some only after the database was
 * restored from a backup without the set, while journals had settlements of its leases.
 */
export interface UncountedCostTable {
  set_id: string
  cost_nano: bigint
}

/** A counter has reached its alert amount. */
export interface BudgetCrossingTable {
  seq: Generated<number>
  counter_id: string
  alert_nano: bigint
  spent_nano: bigint
}

export interface BudgetTables {
  budget_counter: BudgetCounterTable
  budget_set: BudgetSetTable
  budget_crossing: BudgetCrossingTable
  uncounted_cost: UncountedCostTable
}
