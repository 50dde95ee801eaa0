import { type Selectable, sql } from 'kysely'
import { requestIdsBetween } from '../../core/id.ts'
import type { BudgetOwnerKind } from '../../core/limits/budget.ts'
import { largerOf, type Nano } from '../../core/money/money.ts'
import { claimTurn } from '../../store/changes/facts.ts'
import type { Engine } from '../../store/engine.ts'
import { databaseNow } from '../../store/rows/database-now.ts'
import type { BudgetCounterTable } from '../../store/tables/budget-tables.ts'
import type { SqlStatement } from '../../store/units/sql-statement.ts'
import { lifetimeSpending, raiseTotal } from './counted-total.ts'
import { formerKeysOfMember, keysOfMember } from './keys-of-member.ts'
import { rawOf, type SqlFragment } from './sql-fragment.ts'

const hourMs = 60 * 60_000
/** Replicas hear of a new limit within seconds; what they admit until then counts as earlier spending. */
const noticeMs = 15 * 60_000
/** Most requests that were running when the limit was set have ended by then. */
const countedAgainMs = 2 * hourMs
const countEveryMs = 30_000
/** The counters of one page. */
const countersMax = 1_000

interface LateCounter {
  readonly id: string
  readonly owner: {
    readonly kind: BudgetOwnerKind
    readonly accountId: string
    readonly id: string
  }
  readonly startsAtMs: number
  readonly endsAtMs: number | null
  readonly sinceMs: number | null
}

/**
 * The owner's spending in the period of a counter that the counter does not include, because the limit was set within
 * the period: whole hours from the hourly sums, the rest from the rows of requests that are not charged to the counter.
 */
function earlierNano({ id, owner, startsAtMs, endsAtMs, sinceMs }: LateCounter): SqlFragment {
  if (sinceMs === null) return { sql: '0', values: [] }
  if (endsAtMs === null) return lifetimeSpending(owner)
  const of = ownerPart(owner)
  const isMember = owner.kind === 'member'
  const untilMs = Math.min(sinceMs + noticeMs, endsAtMs)
  const wholeFromMs = Math.ceil(startsAtMs / hourMs) * hourMs
  const wholeToMs = Math.floor((sinceMs - hourMs) / hourMs) * hourMs
  const rows = (fromMs: number, toMs: number): SqlFragment => ({
    sql: `COALESCE((SELECT SUM(u.cost_nano) FROM usage_row u WHERE ${of.sql}
      AND u.request_id >= ? AND u.request_id < ? AND u.at >= ? AND u.at < ?
      ${isMember ? ownedUntil('u.at + 1') : ''}
      AND NOT EXISTS (SELECT 1 FROM entry e JOIN budget_set s ON s.set_id = e.budget_set
        WHERE e.request_id = u.request_id AND s.counter_id = ?)), 0)`,
    values: [...of.values, ...requestIdsBetween(fromMs, toMs), fromMs, toMs, id],
  })
  if (wholeToMs <= wholeFromMs) return sumOf([rows(startsAtMs, untilMs)])
  const hours: SqlFragment = {
    sql: `COALESCE((SELECT SUM(u.cost_nano) FROM usage_hour u WHERE ${of.sql}
      AND u.hour >= ? AND u.hour < ? ${isMember ? ownedUntil(`u.hour + ${hourMs}`) : ''}), 0)`,
    values: [...of.values, wholeFromMs, wholeToMs],
  }
  const lastHours = isMember ? [lastHoursOf(owner, wholeFromMs, wholeToMs)] : []
  return sumOf([rows(startsAtMs, wholeFromMs), hours, ...lastHours, rows(wholeToMs, untilMs)])
}

function ownerPart({ kind, accountId, id }: LateCounter['owner']): SqlFragment {
  if (kind === 'key') return { sql: 'u.key_id = ?', values: [id] }
  if (kind === 'account') return { sql: 'u.account_id = ?', values: [id] }
  const keys = keysOfMember(accountId, id)
  const former = formerKeysOfMember(accountId, id)
  return {
    sql: `u.key_id IN (SELECT k.id FROM api_key k WHERE ${keys.sql}
      UNION ALL SELECT o.key_id FROM former_key_owner o WHERE ${former.sql})`,
    values: [...keys.values, ...former.values],
  }
}

/** Whether the key of `u` did not become a service key before this moment. */
function ownedUntil(momentSql: string): string {
  return `AND NOT EXISTS (SELECT 1 FROM former_key_owner o
    WHERE o.key_id = u.key_id AND o.until_at < ${momentSql})`
}

/** What keys of a member had spent in the hour in which they became service keys, if that hour is in these hours. */
function lastHoursOf(
  { accountId, id }: LateCounter['owner'],
  fromMs: number,
  toMs: number,
): SqlFragment {
  const former = formerKeysOfMember(accountId, id)
  const hour = `(o.until_at - o.until_at % ${hourMs})`
  return {
    sql: `COALESCE((SELECT SUM(u.cost_nano) FROM former_key_owner o JOIN usage_row u ON u.key_id = o.key_id
        AND u.request_id >= o.hour_id AND u.request_id < o.until_id
        AND u.at >= ${hour} AND u.at < o.until_at
      WHERE ${former.sql} AND ${hour} >= ? AND ${hour} < ?), 0)`,
    values: [...former.values, fromMs, toMs],
  }
}

function sumOf(parts: readonly SqlFragment[]): SqlFragment {
  return {
    sql: `CAST(${parts.map((part) => part.sql).join(' + ')} AS BIGINT)`,
    values: parts.flatMap((part) => part.values),
  }
}

/** The results of earlier statements. `index` is that of the first statement for the earlier spending. */
interface Before {
  readonly hasCounters: number
  readonly isNewSet: number
  readonly index: number
}

/** Charges a new counter with the earlier spending of its period, and a total whose limit was set again. */
export function countEarlier(
  counter: LateCounter,
  setId: string,
  { hasCounters, isNewSet, index }: Before,
): SqlStatement[] {
  const { id, owner, endsAtMs, sinceMs } = counter
  if (sinceMs === null) return []
  if (endsAtMs === null)
    return [{ ...raiseTotal(id, owner, sinceMs), when: [[hasCounters, 'changed']] }]
  const earlier = earlierNano(counter)
  return [
    {
      // A counter is new when no other set has it.
      sql: `UPDATE budget_counter SET earlier_nano = ${earlier.sql} WHERE id = ? AND earlier_nano = 0
        AND NOT EXISTS (SELECT 1 FROM budget_set WHERE counter_id = ? AND set_id <> ?)`,
      values: [...earlier.values, counter.id, counter.id, setId],
      when: [[isNewSet, 'changed']],
    },
    {
      sql: `UPDATE budget_counter SET spent_nano = spent_nano + earlier_nano,
        available_nano = available_nano - earlier_nano WHERE id = ?`,
      values: [counter.id],
      when: [[index, 'changed']],
    },
  ]
}

export async function readEarlierNano(
  { db }: Pick<Engine, 'db'>,
  counter: LateCounter,
): Promise<Nano> {
  if (counter.sinceMs === null) return 0n
  const { rows } = await sql<{
    earlier_nano: bigint
  }>`SELECT ${rawOf(earlierNano(counter))} AS earlier_nano`.execute(db)
  return rows[0]?.earlier_nano ?? 0n
}

/** The spending of a counter. If a total was set again, the next grant charges the missing amount. */
export async function readSpentNano(
  engine: Pick<Engine, 'db'>,
  counter: LateCounter,
  row: Pick<Selectable<BudgetCounterTable>, 'spent_nano' | 'since_at'>,
): Promise<Nano> {
  if (counter.endsAtMs !== null || row.since_at === counter.sinceMs) return row.spent_nano
  return largerOf(await readEarlierNano(engine, counter), row.spent_nano)
}

/**
 * Counts earlier spending again, because requests end that were admitted without the counter. One replica at a time
 * does this: often in the first hours after a limit was set, then every hour until the period has ended. Nothing is
 * admitted after the end, so later settlements have no effect. A count is never lowered: the log may have been
 * shortened. So a repetition changes nothing. A count reads every request around the setting of the limit, so in the
 * first hours it is made only when the hourly sums show that the counter may lack something.
 */
export async function recountEarlier(engine: Engine, nowMs: number): Promise<void> {
  const db = engine.backgroundDb
  const isOften = await claimTurn(db, 'budget-earlier', nowMs, countEveryMs)
  const isHourly = await claimTurn(db, 'budget-earlier-all', nowMs, hourMs)
  if (!isOften && !isHourly) return
  const now = databaseNow(engine)
  let after = ''
  for (;;) {
    const rows = await db
      .selectFrom('budget_counter')
      .selectAll()
      .where('since_at', '>', isHourly ? -1 : sql<number>`${now} - ${countedAgainMs}`)
      .where((eb) => eb.or([eb('ends_at', 'is', null), eb('ends_at', '>', now)]))
      .where('id', '>', after)
      .orderBy('id')
      .limit(countersMax)
      .execute()
    for (const row of rows) await recount(engine, row, (row.since_at ?? 0) > nowMs - countedAgainMs)
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
  const owner = {
    kind: row.owner_kind as BudgetOwnerKind,
    accountId: row.account_id,
    id: row.owner_id,
  }
  if (row.ends_at === null) await rawOf(raiseTotal(id, owner)).execute(db)
  else if (!isNew || (await mayLack(engine, id, owner, row.starts_at))) {
    const bounds = { startsAtMs: row.starts_at, endsAtMs: row.ends_at, sinceMs: row.since_at }
    const nano = await readEarlierNano({ db }, { id, owner, ...bounds })
    await sql`UPDATE budget_counter SET spent_nano = spent_nano + ${nano} - earlier_nano,
      available_nano = available_nano - ${nano} + earlier_nano, earlier_nano = ${nano}
      WHERE id = ${id} AND earlier_nano < ${nano}`.execute(db)
  }
  await sql`INSERT INTO budget_crossing (counter_id, alert_nano, spent_nano)
    SELECT id, alert_nano, spent_nano FROM budget_counter
    WHERE id = ${id} AND spent_nano >= alert_nano
    ON CONFLICT (counter_id, alert_nano) DO NOTHING`.execute(db)
}

/**
 * Whether the owner has spent more than the counter shows, since the hour in which its period began. One statement
 * reads both sums, because settlements raise them together.
 */
async function mayLack(
  { backgroundDb }: Engine,
  id: string,
  owner: LateCounter['owner'],
  startsAtMs: number,
): Promise<boolean> {
  const of = ownerPart(owner)
  const until = owner.kind === 'member' ? ownedUntil('u.hour + 1') : ''
  const spent = rawOf({
    sql: `COALESCE((SELECT SUM(u.cost_nano) FROM usage_hour u WHERE ${of.sql} AND u.hour >= ? ${until}), 0)`,
    values: [...of.values, Math.floor(startsAtMs / hourMs) * hourMs],
  })
  const { rows } = await sql`SELECT id FROM budget_counter
    WHERE id = ${id} AND spent_nano < ${spent}`.execute(backgroundDb)
  return rows.length > 0
}
