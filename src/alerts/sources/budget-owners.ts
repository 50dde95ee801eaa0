import { sql } from 'kysely'
import { type BudgetLimits, budgetOwnerKinds } from '../../core/limits/budget.ts'
import type { Nano } from '../../core/money/money.ts'
import type { BudgetOwner } from '../../ledger/budgets/budget-terms.ts'
import type { Engine } from '../../store/engine.ts'

const ownersAPage = 200

/** An owner of budgets who wants to be told about them. */
export interface AlertedOwner {
  readonly owner: BudgetOwner
  readonly limits: BudgetLimits
  /** For display. */
  readonly name: string
  readonly accountName: string
  /** Of a key, which has no counter for its quota. */
  readonly quota?: { readonly limitNano: Nano; readonly spentNano: Nano } | undefined
}

interface Row {
  readonly cursor: string
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly account_name: string
  readonly quota_nano: Nano | null
  readonly spent_nano: Nano
  readonly total_nano: Nano | null
  readonly daily_nano: Nano | null
  readonly weekly_nano: Nano | null
  readonly monthly_nano: Nano | null
  readonly zone: string
  readonly month_day: number
  readonly percent: number
  readonly former: number
  readonly kinds_at: number
}

/** The columns of the limits of the table `o`. */
const limitColumns = sql`o.daily_nano, o.weekly_nano, o.monthly_nano, o.budget_zone AS zone,
  o.budget_month_day AS month_day, o.budget_alert_percent AS percent, o.budget_since AS former,
  o.budget_kinds_at AS kinds_at`
const noQuota = sql`CAST(NULL AS BIGINT) AS quota_nano, CAST(0 AS BIGINT) AS spent_nano`
const hasPeriod = sql`o.daily_nano IS NOT NULL OR o.weekly_nano IS NOT NULL OR o.monthly_nano IS NOT NULL`

/** What a key has spent, with the requests whose lease is still open. */
const spentByKey = sql`CAST(o.spent_nano + COALESCE(l.used_nano, 0) AS BIGINT)`
const openLeases = sql`(SELECT key_id, SUM(used_nano) AS used_nano FROM lease GROUP BY key_id)`

/** Each part ends where further conditions can follow. A key that has never spent anything has reached no budget. */
const parts = {
  key: sql`SELECT o.id AS cursor, o.id, o.account_id, o.name, a.name AS account_name, o.quota_nano,
      ${spentByKey} AS spent_nano, CAST(NULL AS BIGINT) AS total_nano, ${limitColumns}
    FROM api_key o JOIN account a ON a.id = o.account_id LEFT JOIN ${openLeases} l ON l.key_id = o.id
    WHERE o.budget_alert_percent IS NOT NULL AND o.deleted_at IS NULL AND ${spentByKey} > 0
      AND (o.quota_nano IS NOT NULL OR ${hasPeriod})`,
  member: sql`SELECT o.account_id || ' ' || o.user_id AS cursor, o.user_id AS id, o.account_id,
      COALESCE(u.invited_email, u.email) AS name, a.name AS account_name, ${noQuota}, o.total_nano, ${limitColumns}
    FROM membership o JOIN account a ON a.id = o.account_id JOIN console_user u ON u.id = o.user_id
    WHERE o.budget_alert_percent IS NOT NULL AND (o.total_nano IS NOT NULL OR ${hasPeriod})`,
  account: sql`SELECT o.id AS cursor, o.id, o.id AS account_id, o.name, o.name AS account_name, ${noQuota},
      o.total_nano, ${limitColumns}
    FROM account o WHERE o.budget_alert_percent IS NOT NULL AND (o.total_nano IS NOT NULL OR ${hasPeriod})`,
} as const

/** Pages of the owners in an account, or in the whole gateway, who have a budget with an alert share. */
export async function* alertedOwners(
  db: Engine['db'],
  accountId: string | null,
): AsyncGenerator<readonly AlertedOwner[]> {
  for (const kind of budgetOwnerKinds) {
    const account = kind === 'account' ? sql`o.id` : sql`o.account_id`
    const cursor = kind === 'member' ? sql`o.account_id || ' ' || o.user_id` : sql`o.id`
    const only = accountId === null ? sql`` : sql`AND ${account} = ${accountId}`
    for (let after = ''; ; ) {
      const { rows } = await sql<Row>`${parts[kind]} ${only} AND ${cursor} > ${after}
        ORDER BY cursor LIMIT ${sql.lit(ownersAPage)}`.execute(db)
      if (rows.length > 0) yield rows.map((row) => ownerOf(kind, row))
      const last = rows.at(-1)
      if (!last || rows.length < ownersAPage) break
      after = last.cursor
    }
  }
}

function ownerOf(kind: BudgetOwner['kind'], row: Row): AlertedOwner {
  return {
    owner: { kind, accountId: row.account_id, id: row.id },
    limits: {
      totalNano: row.total_nano,
      dailyNano: row.daily_nano,
      weeklyNano: row.weekly_nano,
      monthlyNano: row.monthly_nano,
      zone: row.zone,
      monthDay: row.month_day,
      alertPercent: row.percent,
      marks: { formerMs: row.former, kindsAtMs: row.kinds_at },
    },
    name: row.name,
    accountName: row.account_name,
    ...(row.quota_nano !== null && {
      quota: { limitNano: row.quota_nano, spentNano: row.spent_nano },
    }),
  }
}
