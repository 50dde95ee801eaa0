import { type Selectable, sql } from 'kysely'
import type { BudgetOwnerKind, BudgetPeriod } from '../../core/limits/budget.ts'
import { claimTurn } from '../../store/changes/facts.ts'
import type { Engine } from '../../store/engine.ts'
import { databaseNow } from '../../store/rows/database-now.ts'
import type { BudgetCounterTable } from '../../store/tables/budget-tables.ts'
import { raiseCounter } from './raise-counter.ts'
import { type SpendingPeriod, spentSince } from './spending-in.ts'
import { rawOf } from './sql-fragment.ts'

const hourMs = 60 * 60_000
/** Most requests that were running when the limit was set have ended by then. */
const countedAgainMs = 2 * hourMs
const countEveryMs = 30_000
/** The counters of one page. */
const countersMax = 1_000

/**
 * Counts the spending of counters whose limits were set within their period again, because requests end that were
 * admitted without the counter. One replica at a time does this: often in the first hours after a limit was set, then
 * every hour until the period has ended. Nothing is admitted after the end, so later settlements have no effect. In the
 * first hours the whole count is made only when the hourly sums show that the counter may lack something.
 */
export async function recountEarlier(engine: Engine, nowMs: number): Promise<void> {
  const db = engine.backgroundDb
  // A former version has turns of its own: it does not count all of these counters.
  const isOften = await claimTurn(db, 'budget-counted', nowMs, countEveryMs)
  const isHourly = await claimTurn(db, 'budget-counted-all', nowMs, hourMs)
  if (!isOften && !isHourly) return
  const now = databaseNow(engine)
  let after = ''
  for (;;) {
    const rows = await db
      .selectFrom('budget_counter')
      .selectAll()
      .where('counted_for', '>', isHourly ? -1 : sql<number>`${now} - ${countedAgainMs}`)
      .where((eb) => eb.or([eb('ends_at', 'is', null), eb('ends_at', '>', now)]))
      .where('id', '>', after)
      .orderBy('id')
      .limit(countersMax)
      .execute()
    for (const row of rows)
      await recount(engine, row, (row.counted_for ?? 0) > nowMs - countedAgainMs)
    const last = rows.at(-1)
    if (!last || rows.length < countersMax) return
    after = last.id
  }
}

async function recount(
  engine: Engine,
  row: Selectable<BudgetCounterTable>,
  isNew: boolean,
): Promise<void> {
  const db = engine.backgroundDb
  const { id } = row
  const counter: SpendingPeriod = {
    id,
    owner: {
      kind: row.owner_kind as BudgetOwnerKind,
      accountId: row.account_id,
      id: row.owner_id,
    },
    period: row.period as BudgetPeriod,
    startsAtMs: row.starts_at,
    endsAtMs: row.ends_at,
  }
  if (!isNew || (await mayLack(engine, counter)))
    await rawOf(raiseCounter(counter, null)).execute(db)
  await sql`INSERT INTO budget_crossing (counter_id, alert_nano, spent_nano)
    SELECT id, alert_nano, spent_nano FROM budget_counter
    WHERE id = ${id} AND spent_nano >= alert_nano
    ON CONFLICT (counter_id, alert_nano) DO NOTHING`.execute(db)
}

/**
 * Whether the owner has spent more than the counter shows, since the hour in which its period began. One statement
 * reads both sums, because settlements raise them together. A total is always counted: it reads no log.
 */
async function mayLack(
  { backgroundDb }: Engine,
  { id, owner, startsAtMs, endsAtMs }: SpendingPeriod,
): Promise<boolean> {
  if (endsAtMs === null) return true
  const spent = rawOf(spentSince(owner, Math.floor(startsAtMs / hourMs) * hourMs, endsAtMs))
  const { rows } = await sql`SELECT id FROM budget_counter
    WHERE id = ${id} AND spent_nano < ${spent}`.execute(backgroundDb)
  return rows.length > 0
}
