import type { Condition, SqlStatement, SqlValue } from '../../store/units/sql-statement.ts'
import type { BudgetTerms } from './budget-terms.ts'
import { raiseCounter } from './raise-counter.ts'

/** True while key, account and member have the limits of these terms. Placeholders: see `versionValues`. */
export const hasVersions = `k.budget_version = ? AND a.budget_version = ?
  AND COALESCE((SELECT m.budget_version FROM membership m
    WHERE m.account_id = a.id AND m.user_id = CAST(? AS TEXT)), -1) = CAST(? AS BIGINT)`

/** No member has this version. */
const noVersion = -2

/** The key of a user who is not a member gets no money: without the member there would be no limits. */
export function versionValues(terms: BudgetTerms, userId: string | undefined): SqlValue[] {
  const { key, account, member } = terms.rules.versions
  if (userId === undefined) return [key, account, '', member]
  return [key, account, userId, member < 0 ? noVersion : member]
}

const counterRow = `SELECT CAST(? AS TEXT) AS id, a.id AS account_id, CAST(? AS TEXT) AS owner_kind,
    CAST(? AS TEXT) AS owner_id, CAST(? AS TEXT) AS period, CAST(? AS BIGINT) AS starts_at,
    CAST(? AS BIGINT) AS ends_at, CAST(? AS BIGINT) AS limit_nano, CAST(? AS BIGINT) AS alert_nano,
    CAST(? AS BIGINT) AS available_nano, 0 AS spent_nano, CAST(? AS BIGINT) AS since_at
  FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.id = ? AND ${hasVersions}`

const ofSet = 'WHERE id IN (SELECT counter_id FROM budget_set WHERE set_id = ?)'

const uncounted = 'COALESCE((SELECT cost_nano FROM uncounted_cost WHERE set_id = ?), 0)'

/**
 * Creates the counters of a new period, and moves `available` of the others by the change of their limit. The third
 * statement charges the entries that were settled before their set existed. The statements after it charge what was
 * spent in the period without the counter, once for each setting of the limits.
 */
export function storeCounters(
  terms: BudgetTerms,
  { keyId, userId }: { readonly keyId: string; readonly userId?: string | undefined },
): SqlStatement[] {
  const { counters, setId } = terms
  if (counters.length === 0) return []
  const rows = counters.map(() => counterRow).join(' UNION ALL ')
  const values = counters.flatMap((counter) => [
    counter.id,
    counter.owner.kind,
    counter.owner.id,
    counter.period,
    counter.startsAtMs,
    counter.endsAtMs,
    counter.limitNano,
    counter.alertNano,
    counter.limitNano,
    counter.formerMs,
    keyId,
    ...versionValues(terms, userId),
  ])
  const names = counters.map(() => '(CAST(? AS TEXT), CAST(? AS TEXT))').join(', ')
  const statements: SqlStatement[] = [
    {
      sql: `INSERT INTO budget_counter (id, account_id, owner_kind, owner_id, period, starts_at, ends_at,
          limit_nano, alert_nano, available_nano, spent_nano, since_at)
        SELECT * FROM (${rows}) AS made WHERE TRUE
        ON CONFLICT (id) DO UPDATE SET
          available_nano = budget_counter.available_nano + excluded.limit_nano - budget_counter.limit_nano,
          limit_nano = excluded.limit_nano, alert_nano = excluded.alert_nano`,
      values,
    },
    {
      sql: `INSERT INTO budget_set (set_id, counter_id) VALUES ${names}
        ON CONFLICT (set_id, counter_id) DO NOTHING`,
      values: counters.flatMap(({ id }) => [setId, id]),
      when: [[0, 'changed']],
    },
    {
      sql: `UPDATE budget_counter SET spent_nano = spent_nano + ${uncounted},
          available_nano = available_nano - ${uncounted} ${ofSet}`,
      values: [setId, setId, setId],
      when: [[1, 'changed']],
    },
  ]
  const late = counters.filter(({ countedForMs }) => countedForMs !== null)
  const raises = late.map((counter) => ({
    ...raiseCounter(counter, counter.countedForMs),
    when: [[0, 'changed'] as const],
  }))
  return [...statements, ...raises]
}

export const takeFromCounters = `UPDATE budget_counter
  SET available_nano = available_nano - (SELECT granted_nano FROM lease WHERE id = ?) ${ofSet}`

const giveRestToCounters = `UPDATE budget_counter
  SET available_nano = available_nano + (SELECT granted_nano - used_nano FROM lease WHERE id = ?)
  ${ofSet} AND EXISTS (SELECT 1 FROM lease WHERE id = ?)`

/** Returns the unused money of a lease that is about to be closed. Nothing when no counter applies. */
export function returnUnused(leaseId: string, setId: string | null | undefined): SqlStatement[] {
  return hasCounters(setId) ? [{ sql: giveRestToCounters, values: [leaseId, setId, leaseId] }] : []
}

const addToCounters = `UPDATE budget_counter SET available_nano = available_nano + ? ${ofSet}`

export function giveBack(
  amountNano: bigint,
  setId: string | null | undefined,
  when: readonly Condition[],
): SqlStatement[] {
  return hasCounters(setId) ? [{ sql: addToCounters, values: [amountNano, setId], when }] : []
}

/** Null and the empty text name no counters. */
export function hasCounters(setId: string | null | undefined): setId is string {
  return setId !== undefined && setId !== null && setId !== ''
}
