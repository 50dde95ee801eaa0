import type { SqlStatement } from '../../store/units/sql-statement.ts'
import { formerKeysOfMember, keysOfMember } from './keys-of-member.ts'
import type { SqlFragment } from './sql-fragment.ts'

interface TotalOwner {
  readonly kind: string
  readonly accountId: string
  readonly id: string
}

/** Everything that an account or a member has ever spent. Keys are never deleted from the table. */
export function lifetimeSpending({ kind, accountId, id }: TotalOwner): SqlFragment {
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

/** The part of everything ever spent that the total still lacks. */
const lacking =
  'CASE WHEN late.nano > budget_counter.spent_nano THEN late.nano - budget_counter.spent_nano ELSE 0 END'

/**
 * Raises a total to everything that its owner has spent. Without a time of the limit: always. With one: only if the
 * counter has not been raised since the limit was set. A counter never decreases. Postgres may read the sum before
 * another transaction raises the same counter, so the sum is compared with the row that is updated.
 */
export function raiseTotal(
  id: string,
  owner: TotalOwner,
  sinceMs?: number | null,
): Omit<SqlStatement, 'when'> {
  const spent = lifetimeSpending(owner)
  const [isDue, since] =
    sinceMs === undefined || sinceMs === null
      ? ['', []]
      : ['AND COALESCE(c.since_at, -1) <> ?', [sinceMs]]
  const mark = since.length > 0 ? ', since_at = ?' : ''
  return {
    sql: `UPDATE budget_counter SET spent_nano = budget_counter.spent_nano + ${lacking},
        available_nano = budget_counter.available_nano - ${lacking},
        earlier_nano = budget_counter.earlier_nano + ${lacking} ${mark}
      FROM (SELECT c.id, ${spent.sql} AS nano FROM budget_counter c WHERE c.id = ? ${isDue}) AS late
      WHERE budget_counter.id = late.id`,
    values: [...since, ...spent.values, id, ...since],
  }
}
