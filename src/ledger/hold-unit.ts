import type { Unit } from '../store/engine.ts'
import type { HoldWish } from './ledger.ts'

export interface LeaseOwner {
  readonly replica: string
  readonly epoch: number
}

const insertLease = `INSERT INTO lease
  (id, replica, epoch, account_id, key_id, granted_nano, recovery_nano, request, created_at, reclaim_at)
  SELECT ?, ?, ?, a.id, k.id, ?, ?, ?, ?, ?
  FROM api_key k JOIN account a ON a.id = k.account_id
  WHERE k.id = ? AND a.id = ? AND a.available_nano >= ?
    AND (k.available_nano IS NULL OR k.available_nano >= ?)
  ON CONFLICT (id) DO NOTHING`
const takeFromAccount = 'UPDATE account SET available_nano = available_nano - ? WHERE id = ?'
const takeFromKey =
  'UPDATE api_key SET available_nano = available_nano - ? WHERE id = ? AND available_nano IS NOT NULL'
const findLease = 'SELECT id FROM lease WHERE id = ?'

/**
 * One conditional movement: the lease comes into being only if both the account and the key can pay for it,
 * and only a fresh lease takes money. Repeating the unit after a lost acknowledgement therefore changes
 * nothing, and its last statement still says that the lease is there.
 */
export function holdUnit(wish: HoldWish, owner: LeaseOwner, reclaimAtMs: number): Unit {
  const { requestId, accountId, keyId, amountNano } = wish
  return {
    locks: { keyId, accountId },
    statements: [
      {
        sql: insertLease,
        values: [
          requestId,
          owner.replica,
          owner.epoch,
          amountNano,
          wish.recoveryNano,
          JSON.stringify(wish.story),
          wish.story.at,
          reclaimAtMs,
          keyId,
          accountId,
          amountNano,
          amountNano,
        ],
      },
      { sql: takeFromAccount, values: [amountNano, accountId], when: [[0, 'changed']] },
      { sql: takeFromKey, values: [amountNano, keyId], when: [[0, 'changed']] },
      { sql: findLease, values: [requestId], when: [[0, 'unchanged']] },
    ],
  }
}

export function isHeld(result: readonly ({ readonly changes: number } | null)[]): boolean {
  return (result[0]?.changes ?? 0) > 0 || (result[3]?.changes ?? 0) > 0
}
