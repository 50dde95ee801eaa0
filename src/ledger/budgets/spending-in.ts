import { requestIdsBetween } from '../../core/id.ts'
import type { BudgetOwnerKind, BudgetPeriod } from '../../core/limits/budget.ts'
import { formerKeysOfMember, keysOfMember } from './keys-of-member.ts'
import type { SqlFragment } from './sql-fragment.ts'

const hourMs = 60 * 60_000
/** A request may arrive this long before its admission, or its process may have another time than the database. */
const boundaryMs = 5 * 60_000

export interface SpendingOwner {
  readonly kind: BudgetOwnerKind
  readonly accountId: string
  readonly id: string
}

/** The period of a counter. */
export interface SpendingPeriod {
  readonly id: string
  readonly owner: SpendingOwner
  readonly period: BudgetPeriod
  readonly startsAtMs: number
  readonly endsAtMs: number | null
}

/**
 * Everything that the owner of a counter has spent in its period, with and without the counter. Settlements raise the
 * hourly sums together with the counters, so no request is read, except around the beginning of the period.
 */
export function spendingIn(counter: SpendingPeriod): SqlFragment {
  const { owner, startsAtMs, endsAtMs } = counter
  if (endsAtMs === null) return everSpent(owner)
  const wholeFromMs = Math.ceil(startsAtMs / hourMs) * hourMs
  const parts = [spentSince(owner, wholeFromMs, endsAtMs), movedInto(counter)]
  if (owner.kind === 'member') parts.push(lastHoursOf(owner, wholeFromMs, endsAtMs))
  if (wholeFromMs > startsAtMs) parts.push(rowsBetween(owner, startsAtMs, wholeFromMs))
  return {
    sql: `CAST(${parts.map((part) => part.sql).join(' + ')} AS BIGINT)`,
    values: parts.flatMap((part) => part.values),
  }
}

/** Everything that an owner has ever spent. Keys are never deleted from the table. */
function everSpent({ kind, accountId, id }: SpendingOwner): SqlFragment {
  if (kind !== 'member') {
    return {
      sql: `CAST(COALESCE((SELECT SUM(k.spent_nano) FROM api_key k WHERE k.account_id = ?), 0)
        + COALESCE((SELECT SUM(l.used_nano) FROM lease l WHERE l.account_id = ?), 0) AS BIGINT)`,
      values: [accountId, accountId],
    }
  }
  const keys = keysOfMember(accountId, id)
  const former = formerKeysOfMember(accountId, id)
  return {
    sql: `CAST(COALESCE((SELECT SUM(k.spent_nano) FROM api_key k WHERE ${keys.sql}), 0)
      + COALESCE((SELECT SUM(l.used_nano) FROM lease l WHERE l.account_id = ?
        AND l.key_id IN (SELECT k.id FROM api_key k WHERE ${keys.sql})), 0)
      + COALESCE((SELECT SUM(o.spent_nano) FROM former_key_owner o WHERE ${former.sql}), 0) AS BIGINT)`,
    values: [...keys.values, accountId, ...keys.values, ...former.values],
  }
}

/** The hourly sums from one whole hour on. */
export function spentSince(owner: SpendingOwner, fromMs: number, toMs: number): SqlFragment {
  const of = usageOf(owner)
  return {
    sql: `COALESCE((SELECT SUM(u.cost_nano) FROM usage_hour u WHERE ${of.sql}
      AND u.hour >= ? AND u.hour < ? ${owner.kind === 'member' ? ownedUntil(`u.hour + ${hourMs}`) : ''}), 0)`,
    values: [...of.values, fromMs, toMs],
  }
}

/** The requests of a part of an hour. */
function rowsBetween(owner: SpendingOwner, fromMs: number, toMs: number): SqlFragment {
  const of = usageOf(owner)
  return {
    sql: `COALESCE((SELECT SUM(u.cost_nano) FROM usage_row u WHERE ${of.sql}
      AND u.request_id >= ? AND u.request_id < ? AND u.at >= ? AND u.at < ?
      ${owner.kind === 'member' ? ownedUntil('u.at + 1') : ''}), 0)`,
    values: [...of.values, ...requestIdsBetween(fromMs, toMs), fromMs, toMs],
  }
}

/**
 * A request belongs to the period of its admission by the clock of the database, not to that of its arrival. Adds
 * earlier requests that are charged to this counter, and subtracts later ones that a former period was charged with.
 */
function movedInto({ id, owner, period, startsAtMs }: SpendingPeriod): SqlFragment {
  const of = usageOf(owner)
  const [fromMs, toMs] = [startsAtMs - boundaryMs, startsAtMs + boundaryMs]
  return {
    sql: `COALESCE((SELECT SUM(CASE WHEN u.at < ? THEN u.cost_nano ELSE -u.cost_nano END)
      FROM usage_row u WHERE ${of.sql}
        AND u.request_id >= ? AND u.request_id < ? AND u.at >= ? AND u.at < ?
        ${owner.kind === 'member' ? ownedUntil('u.at + 1') : ''}
        AND EXISTS (SELECT 1 FROM entry e JOIN budget_set s ON s.set_id = e.budget_set
          JOIN budget_counter b ON b.id = s.counter_id
          WHERE e.request_id = u.request_id AND CASE WHEN u.at < ? THEN b.id = ?
            ELSE b.owner_kind = ? AND b.owner_id = ? AND b.period = ? AND b.ends_at <= ? END)), 0)`,
    values: [
      startsAtMs,
      ...of.values,
      ...requestIdsBetween(fromMs, toMs),
      fromMs,
      toMs,
      startsAtMs,
      id,
      owner.kind,
      owner.id,
      period,
      startsAtMs,
    ],
  }
}

function usageOf({ kind, accountId, id }: SpendingOwner): SqlFragment {
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
function lastHoursOf({ accountId, id }: SpendingOwner, fromMs: number, toMs: number): SqlFragment {
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
