import type { Nano } from '../../core/money.ts'
import type { Unit, UnitResult } from '../../store/engine.ts'

/** The owner of a lease: one life of a replica. */
export interface LeaseOwner {
  readonly replica: string
  readonly epoch: number
}

export interface GrantRequest {
  readonly leaseId: string
  readonly accountId: string
  readonly keyId: string
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

const insertLease = (clockSql: string): string => `INSERT INTO lease
  (id, replica, epoch, account_id, key_id, granted_nano, used_nano, version, created_at, reclaim_at)
  SELECT CAST(? AS TEXT), replica, epoch, account_id, key_id,
    CASE
      WHEN rest_nano / ${shareOfRest} <= CAST(? AS BIGINT) THEN CAST(? AS BIGINT)
      WHEN rest_nano / ${shareOfRest} < CAST(? AS BIGINT) THEN rest_nano / ${shareOfRest}
      ELSE CAST(? AS BIGINT)
    END,
    0, 1, ${clockSql}, ${clockSql} + CAST(? AS BIGINT)
  FROM (
    SELECT r.id AS replica, r.epoch AS epoch, a.id AS account_id, k.id AS key_id,
      CASE WHEN k.available_nano < a.available_nano THEN k.available_nano ELSE a.available_nano END
        AS rest_nano
    FROM api_key k JOIN account a ON a.id = k.account_id, replica r
    WHERE k.id = ? AND a.id = ? AND r.id = ? AND r.epoch = ?
      AND NOT EXISTS (
        SELECT 1 FROM audit_stop s WHERE s.account_id = a.id AND s.released_at IS NULL)) AS purse
  WHERE rest_nano >= CAST(? AS BIGINT)
  ON CONFLICT (id) DO NOTHING`
const takeFromKey = `UPDATE api_key
  SET available_nano = available_nano - (SELECT granted_nano FROM lease WHERE id = ?)
  WHERE id = ? AND available_nano IS NOT NULL`
const takeFromAccount = `UPDATE account
  SET available_nano = available_nano - (SELECT granted_nano FROM lease WHERE id = ?)
  WHERE id = ?`
const readLease = 'SELECT granted_nano FROM lease WHERE id = ?'

/**
 * Creates the lease only if account and key can pay its least amount, the account has no audit stop, and the owner's
 * epoch is still the current one. Only a new lease takes money, so the unit can be repeated after a lost
 * acknowledgement.
 */
export function grantUnit(request: GrantRequest, owner: LeaseOwner, clockSql: string): Unit {
  const { leaseId, accountId, keyId, leastNano: least, wantedNano: wanted } = request
  return {
    locks: { keyId, accountId },
    statements: [
      {
        sql: insertLease(clockSql),
        values: [
          leaseId,
          least,
          least,
          wanted,
          wanted,
          request.reclaimInMs,
          keyId,
          accountId,
          owner.replica,
          owner.epoch,
          request.isForLater === true ? least * BigInt(shareOfRest) : least,
        ],
      },
      { sql: takeFromKey, values: [leaseId, keyId], when: [[0, 'changed']] },
      { sql: takeFromAccount, values: [leaseId, accountId], when: [[0, 'changed']] },
      { sql: readLease, values: [leaseId] },
    ],
  }
}

/** The granted amount; undefined when nothing was granted. */
export function grantedBy(result: UnitResult): Nano | undefined {
  const granted = result[3]?.rows[0]?.['granted_nano']
  return typeof granted === 'bigint' ? granted : undefined
}

export interface LeaseFacts {
  readonly leaseId: string
  readonly accountId: string
  readonly keyId: string
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
export function closeUnit({ leaseId, accountId, keyId }: LeaseFacts): Unit {
  return {
    locks: { leaseIds: [leaseId], keyId, accountId },
    statements: [
      { sql: giveRestToKey, values: [leaseId, leaseId, keyId, leaseId] },
      { sql: giveRestToAccount, values: [leaseId, accountId, leaseId] },
      { sql: deleteLease, values: [leaseId] },
    ],
  }
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
  { leaseId, accountId, keyId }: LeaseFacts,
  change: { readonly fromNano: Nano; readonly toNano: Nano; readonly version: number },
): Unit {
  const backNano = change.fromNano - change.toNano
  return {
    locks: { leaseIds: [leaseId], keyId, accountId },
    statements: [
      { sql: shrinkLease, values: [change.toNano, leaseId, change.version, change.fromNano] },
      { sql: addToKey, values: [backNano, keyId], when: [[0, 'changed']] },
      { sql: addToAccount, values: [backNano, accountId], when: [[0, 'changed']] },
    ],
  }
}

/** Postpones the time at which others may reclaim the lease as abandoned. */
export function renewUnit(
  leaseId: string,
  owner: LeaseOwner,
  reclaimInMs: number,
  clockSql: string,
): Unit {
  const sql = `UPDATE lease SET reclaim_at = ${clockSql} + CAST(? AS BIGINT)
    WHERE id = ? AND replica = ? AND epoch = ?`
  return {
    locks: { leaseIds: [leaseId] },
    statements: [{ sql, values: [reclaimInMs, leaseId, owner.replica, owner.epoch] }],
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
