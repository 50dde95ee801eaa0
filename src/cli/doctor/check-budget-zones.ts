import { sql } from 'kysely'
import { hasCalendar } from '../../core/limits/calendar.ts'
import type { Engine } from '../../store/engine.ts'
import { type DoctorFinding, fail, ok } from './finding.ts'

const topic = 'budgets'
const namedMax = 5

/** The owners of limits by period, each with the command that sets another time zone. */
const owners = sql`(
  SELECT 'key ' || id AS name, 'keys update ' || id AS command, budget_zone AS zone
    FROM api_key WHERE deleted_at IS NULL
      AND (daily_nano IS NOT NULL OR weekly_nano IS NOT NULL OR monthly_nano IS NOT NULL)
  UNION ALL SELECT 'member ' || COALESCE(u.invited_email, u.email) || ' of ' || m.account_id,
    'members limit ' || m.account_id || ' ' || COALESCE(u.invited_email, u.email), m.budget_zone
    FROM membership m JOIN console_user u ON u.id = m.user_id
    WHERE m.daily_nano IS NOT NULL OR m.weekly_nano IS NOT NULL OR m.monthly_nano IS NOT NULL
  UNION ALL SELECT 'account ' || id, 'accounts update ' || id, budget_zone
    FROM account
    WHERE daily_nano IS NOT NULL OR weekly_nano IS NOT NULL OR monthly_nano IS NOT NULL)`

interface Owner {
  readonly name: string
  readonly command: string
  readonly zone: string
}

/** Budgets whose time zone this version does not know: the requests that they limit are refused. */
export async function checkBudgetZones(
  database: { readonly engine: Engine } | undefined,
): Promise<DoctorFinding[]> {
  if (!database) return []
  const { db } = database.engine
  const { rows: zones } = await sql<{ zone: string }>`SELECT DISTINCT zone FROM ${owners} AS o
    ORDER BY zone`.execute(db)
  if (zones.length === 0) return []
  const unknown = zones.map(({ zone }) => zone).filter((zone) => !hasCalendar(zone))
  if (unknown.length === 0) return [ok(topic, 'all time zones are known')]
  const { rows } = await sql<Owner>`SELECT name, command, zone FROM ${owners} AS o
    WHERE zone IN (${sql.join(unknown)}) ORDER BY name`.execute(db)
  const rest = rows.length - namedMax
  return [
    ...rows
      .slice(0, namedMax)
      .map(({ name, command, zone }) =>
        fail(
          topic,
          `this version does not know the time zone ${JSON.stringify(zone)} of ${name}, so requests that this budget limits are refused; set another one: tollgate ${command} --budget-zone UTC`,
        ),
      ),
    ...(rest > 0 ? [fail(topic, `${rest} more have an unknown time zone`)] : []),
  ]
}
