import { type RawBuilder, sql } from 'kysely'
import type { BudgetLimits, BudgetOwnerKind } from '../../core/limits/budget.ts'
import type { Nano } from '../../core/money/money.ts'
import type { Engine } from '../../store/engine.ts'
import type { Payer } from '../ledger.ts'
import type { BudgetRules } from './budget-terms.ts'

interface Row {
  readonly kind: BudgetOwnerKind
  readonly id: string
  readonly total_nano: Nano | null
  readonly daily_nano: Nano | null
  readonly weekly_nano: Nano | null
  readonly monthly_nano: Nano | null
  readonly zone: string
  readonly month_day: number
  readonly alert_percent: number | null
  readonly version: number
  readonly former: number
  readonly kinds_at: number
}

const columns = sql`daily_nano, weekly_nano, monthly_nano, budget_zone AS zone,
  budget_month_day AS month_day, budget_alert_percent AS alert_percent, budget_version AS version,
  budget_since AS former, budget_kinds_at AS kinds_at`

/** Reads the limits that apply to a key, in one statement, so that they belong to one state of the database. */
export async function readRules(engine: Engine, name: Payer): Promise<BudgetRules> {
  const { accountId, keyId, userId } = name
  const parts: RawBuilder<unknown>[] = [
    sql`SELECT 'key' AS kind, id, CAST(NULL AS BIGINT) AS total_nano, ${columns}
      FROM api_key WHERE id = ${keyId}`,
    sql`SELECT 'account' AS kind, id, total_nano, ${columns} FROM account WHERE id = ${accountId}`,
  ]
  if (userId !== undefined)
    parts.push(sql`SELECT 'member' AS kind, user_id AS id, total_nano, ${columns}
      FROM membership WHERE account_id = ${accountId} AND user_id = ${userId}`)
  const owners = sql<Row>`(${sql.join(parts, sql` UNION ALL `)})`
  const rows = await engine.db.selectFrom(owners.as('owners')).selectAll().execute()
  const versionOf = (wanted: BudgetOwnerKind): number =>
    rows.find(({ kind }) => kind === wanted)?.version ?? -1
  return {
    versions: {
      key: versionOf('key'),
      account: versionOf('account'),
      member: versionOf('member'),
    },
    owners: rows.map((row) => ({
      owner: { kind: row.kind, accountId, id: row.id },
      limits: limitsOf(row),
    })),
  }
}

function limitsOf(row: Row): BudgetLimits {
  return {
    totalNano: row.total_nano,
    dailyNano: row.daily_nano,
    weeklyNano: row.weekly_nano,
    monthlyNano: row.monthly_nano,
    zone: row.zone,
    monthDay: row.month_day,
    alertPercent: row.alert_percent,
    marks: { formerMs: row.former, kindsAtMs: row.kinds_at },
  }
}
