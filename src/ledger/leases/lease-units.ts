import type { Nano } from '../../core/money/money.ts'
import type { RowLocks, Unit, UnitResult } from '../../store/engine.ts'
import type { Condition, SqlStatement } from '../../store/units/sql-statement.ts'
import { BudgetTerms, type BudgetVersions, unlimitedRules } from '../budgets/budget-terms.ts'
import {
  giveBack,
  hasCounters,
  hasVersions,
  returnUnused,
  storeCounters,
  takeFromCounters,
  versionValues,
} from '../budgets/counter-statements.ts'

/** The owner of a lease: one life of a replica. */
export interface LeaseOwner {
  readonly replica: string
  readonly epoch: number
}

export interface GrantRequest {
  readonly leaseId: string
  readonly accountId: string
  readonly keyId: string
  /** The owner of the key, if it has one. */
  readonly userId?: string | undefined
  /** Absent: no limit was ever set. */
  readonly terms?: BudgetTerms
  /** The money is for a request that was admitted under these terms, whatever the present terms are. */
  readonly isFormer?: boolean
  /** The smallest amount that is granted. */
  readonly leastNano: Nano
  readonly wantedNano: Nano
  /**
   * Requested in advance: granted only if the account and the key have several times the least amount (see
   * `shareOfRest`).
   */
  readonly isForLater?: boolean
  /** Time without a renewal after which others may reclaim the lease, by the clock of the database. */
  readonly reclaimInMs: number
}

/**
 * One lease takes at most an eighth of the remaining money, but never less than is needed now. Far from a limit leases
 * are large and rare; near a limit a lease is exactly the hold of one request.
 */
const shareOfRest = 8

/** The restrictions of a grant by budgets. */
interface GrantBounds {
  readonly hasCounters: boolean
  /** Whether the present limits and the time decide, or the lease continues former terms. */
  readonly isPresent: boolean
}

const presentOnly = (clockSql: string): string => `AND ${hasVersions}
      AND ${clockSql} >= CAST(? AS BIGINT) AND ${clockSql} < CAST(? AS BIGINT)`

/** A set with a missing counter grants nothing. */
const budgetRest = `(SELECT CASE WHEN COUNT(*) = CAST(? AS BIGINT) THEN MIN(c.available_nano) ELSE 0 END
        FROM budget_set s JOIN budget_counter c ON c.id = s.counter_id WHERE s.set_id = CAST(? AS TEXT))`

const insertLease = (
  clockSql: string,
  { hasCounters, isPresent }: GrantBounds,
): string => `INSERT INTO lease
  (id, replica, epoch, account_id, key_id, granted_nano, used_nano, version, created_at, reclaim_at, budget_set)
  SELECT CAST(? AS TEXT), replica, epoch, account_id, key_id,
    CASE
      WHEN rest_nano / ${shareOfRest} <= CAST(? AS BIGINT) THEN CAST(? AS BIGINT)
      WHEN rest_nano / ${shareOfRest} < CAST(? AS BIGINT) THEN rest_nano / ${shareOfRest}
      ELSE CAST(? AS BIGINT)
    END,
    0, 1, ${clockSql}, ${clockSql} + CAST(? AS BIGINT), CAST(? AS TEXT)
  FROM (
    SELECT replica, epoch, account_id, key_id,
      CASE WHEN budget_nano < funds_nano THEN budget_nano ELSE funds_nano END AS rest_nano
    FROM (
    SELECT r.id AS replica, r.epoch AS epoch, a.id AS account_id, k.id AS key_id,
      CASE WHEN k.available_nano < a.available_nano THEN k.available_nano ELSE a.available_nano END
        AS funds_nano, ${hasCounters ? budgetRest : 'CAST(NULL AS BIGINT)'} AS budget_nano
    FROM api_key k JOIN account a ON a.id = k.account_id, replica r
    WHERE k.id = ? AND a.id = ? AND r.id = ? AND r.epoch = ? ${isPresent ? presentOnly(clockSql) : ''}
      AND NOT EXISTS (
        SELECT 1 FROM audit_stop s WHERE s.account_id = a.id AND s.released_at IS NULL)) AS funds) AS bounded
  WHERE rest_nano >= CAST(? AS BIGINT)
  ON CONFLICT (id) DO NOTHING`
const takeFromKey = `UPDATE api_key
  SET available_nano = available_nano - (SELECT granted_nano FROM lease WHERE id = ?)
  WHERE id = ? AND available_nano IS NOT NULL`
const takeFromAccount = `UPDATE account
  SET available_nano = available_nano - (SELECT granted_nano FROM lease WHERE id = ?)
  WHERE id = ?`
const readAnswer = (clockSql: string): string => `SELECT
    (SELECT granted_nano FROM lease WHERE id = ?) AS granted_nano, ${clockSql} AS now_ms,
    k.budget_version AS key_version, a.budget_version AS account_version,
    COALESCE((SELECT m.budget_version FROM membership m
      WHERE m.account_id = a.id AND m.user_id = CAST(? AS TEXT)), -1) AS member_version
  FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.id = ?`

const noLimits = new BudgetTerms(unlimitedRules(false), 0)

/**
 * Creates the lease only if account, key and every counter of the terms can pay its least amount, the account has no
 * audit stop, and the owner's epoch is still the current one. Unless the lease continues former terms, the terms must
 * also be the present ones, by the limits and by the clock of the database. Only a new lease takes money, so the unit
 * can be repeated after a lost acknowledgement.
 */
export function grantUnit(request: GrantRequest, owner: LeaseOwner, clockSql: string): Unit {
  const { leaseId, accountId, keyId, userId, leastNano: least, wantedNano: wanted } = request
  const { terms = noLimits, isFormer = false } = request
  const isPresent = !isFormer
  const hasCounters = terms.setId !== ''
  const stored = isPresent && !terms.isStored ? storeCounters(terms, request) : []
  const insert: SqlStatement = {
    sql: insertLease(clockSql, { hasCounters, isPresent }),
    values: [
      leaseId,
      least,
      least,
      wanted,
      wanted,
      request.reclaimInMs,
      terms.setId,
      ...(hasCounters ? [terms.counters.length, terms.setId] : []),
      keyId,
      accountId,
      owner.replica,
      owner.epoch,
      ...(isPresent
        ? [...versionValues(terms, userId), terms.startsAtMs, Math.min(terms.endsAtMs, timeMsMax)]
        : []),
      request.isForLater === true ? least * BigInt(shareOfRest) : least,
    ],
  }
  const when: readonly Condition[] = [[stored.length, 'changed']]
  const fromCounters = { sql: takeFromCounters, values: [leaseId, terms.setId], when }
  return {
    locks: { keyId, accountId, budgetSets: hasCounters ? [terms.setId] : [] },
    statements: [
      ...stored,
      insert,
      { sql: takeFromKey, values: [leaseId, keyId], when },
      { sql: takeFromAccount, values: [leaseId, accountId], when },
      ...(hasCounters ? [fromCounters] : []),
      { sql: readAnswer(clockSql), values: [leaseId, userId ?? '', keyId] },
    ],
  }
}

/** A time after the end of all periods. */
const timeMsMax = Number.MAX_SAFE_INTEGER

export interface GrantAnswer {
  /** Undefined when nothing was granted. */
  readonly grantedNano: Nano | undefined
  /** The clock of the database. */
  readonly databaseMs: number
  readonly versions: BudgetVersions
}

/** Undefined when the key does not exist. */
export function readGrant(result: UnitResult): GrantAnswer | undefined {
  const row = result.at(-1)?.rows[0]
  if (!row) return undefined
  const granted = row['granted_nano']
  return {
    grantedNano: typeof granted === 'bigint' ? granted : undefined,
    databaseMs: Number(row['now_ms']),
    versions: {
      key: Number(row['key_version']),
      account: Number(row['account_version']),
      member: Number(row['member_version']),
    },
  }
}

/** The granted amount; undefined when nothing was granted. */
export function grantedBy(result: UnitResult): Nano | undefined {
  return readGrant(result)?.grantedNano
}

export interface LeaseFacts {
  readonly leaseId: string
  readonly accountId: string
  readonly keyId: string
  readonly budgetSet?: string | null
}

const giveRestToKey = `UPDATE api_key SET
  available_nano = available_nano + (SELECT granted_nano - used_nano FROM lease WHERE id = ?),
  spent_nano = spent_nano + (SELECT used_nano FROM lease WHERE id = ?)
  WHERE id = ? AND EXISTS (SELECT 1 FROM lease WHERE id = ?)`
const giveRestToAccount = `UPDATE account SET
  available_nano = available_nano + (SELECT granted_nano - used_nano FROM lease WHERE id = ?)
  WHERE id = ? AND EXISTS (SELECT 1 FROM lease WHERE id = ?)`
const deleteLease = 'DELETE FROM lease WHERE id = ?'

/**
 * Returns the unused money of the lease and adds the used amount to the key. The lease is deleted, so this happens
 * once.
 */
export function closeUnit(facts: LeaseFacts): Unit {
  const { leaseId, accountId, keyId, budgetSet } = facts
  return {
    locks: locksOf(facts),
    statements: [
      { sql: giveRestToKey, values: [leaseId, leaseId, keyId, leaseId] },
      { sql: giveRestToAccount, values: [leaseId, accountId, leaseId] },
      ...returnUnused(leaseId, budgetSet),
      { sql: deleteLease, values: [leaseId] },
    ],
  }
}

function locksOf({ leaseId, keyId, accountId, budgetSet }: LeaseFacts): RowLocks {
  const budgetSets = hasCounters(budgetSet) ? [budgetSet] : []
  return { leaseIds: [leaseId], keyId, accountId, budgetSets }
}

const shrinkLease =
  'UPDATE lease SET granted_nano = ?, version = version + 1 WHERE id = ? AND version = ? AND granted_nano = ?'
const addToKey =
  'UPDATE api_key SET available_nano = available_nano + ? WHERE id = ? AND available_nano IS NOT NULL'
const addToAccount = 'UPDATE account SET available_nano = available_nano + ? WHERE id = ?'

/**
 * Returns a part of a lease. The version makes a repetition harmless. The amount protects against a grant that runs
 * again, late and with another amount, after its lease was closed.
 */
export function shrinkUnit(
  facts: LeaseFacts,
  change: { readonly fromNano: Nano; readonly toNano: Nano; readonly version: number },
): Unit {
  const { leaseId, accountId, keyId, budgetSet } = facts
  const backNano = change.fromNano - change.toNano
  const when: readonly Condition[] = [[0, 'changed']]
  return {
    locks: locksOf(facts),
    statements: [
      { sql: shrinkLease, values: [change.toNano, leaseId, change.version, change.fromNano] },
      { sql: addToKey, values: [backNano, keyId], when },
      { sql: addToAccount, values: [backNano, accountId], when },
      ...giveBack(backNano, budgetSet, when),
    ],
  }
}

/**
 * Postpones the time at which others may reclaim the lease as abandoned. With `asksTime` the second result has the
 * clock of the database.
 */
export function renewUnit(
  leaseId: string,
  owner: LeaseOwner,
  reclaimInMs: number,
  clockSql: string,
  asksTime = false,
): Unit {
  const sql = `UPDATE lease SET reclaim_at = ${clockSql} + CAST(? AS BIGINT)
    WHERE id = ? AND replica = ? AND epoch = ?`
  return {
    locks: { leaseIds: [leaseId] },
    statements: [
      { sql, values: [reclaimInMs, leaseId, owner.replica, owner.epoch] },
      ...(asksTime ? [{ sql: `SELECT ${clockSql} AS now_ms`, values: [] }] : []),
    ],
  }
}

/**
 * Closes the lease if it has expired. The condition is checked again because the owner may have renewed the lease since
 * it was read.
 */
export function reclaimUnit(facts: LeaseFacts, clockSql: string): Unit {
  const close = closeUnit(facts)
  const markOver = `UPDATE lease SET reclaim_at = 0 WHERE id = ? AND reclaim_at < ${clockSql}`
  return {
    ...close,
    statements: [
      { sql: markOver, values: [facts.leaseId] },
      ...close.statements.map((each) => ({ ...each, when: [[0, 'changed'] as const] })),
    ],
  }
}
