import type { SqlPart } from './sql-part.ts'

/**
 * Selects the keys `k` that count for a member: those of the login, and those of deleted logins that it has replaced.
 */
export function keysOfMember(accountId: string, userId: string): SqlPart {
  return {
    sql: `k.account_id = ? AND k.owner_user_id IN (SELECT CAST(? AS TEXT) UNION ALL
      SELECT f.user_id FROM former_member f WHERE f.account_id = ? AND f.successor_id = ?)`,
    values: [accountId, userId, accountId, userId],
  }
}
