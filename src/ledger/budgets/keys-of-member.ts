import type { SqlFragment } from './sql-fragment.ts'

/**
 * Selects the keys `k` that count for a member: those of the login, and those of deleted logins that it has replaced.
 */
function loginsOf(accountId: string, userId: string): SqlFragment {
  return {
    sql: `(SELECT CAST(? AS TEXT) UNION ALL
      SELECT f.user_id FROM former_member f WHERE f.account_id = ? AND f.successor_id = ?)`,
    values: [userId, accountId, userId],
  }
}

/** Which keys `k` count for a member. */
export function keysOfMember(accountId: string, userId: string): SqlFragment {
  const logins = loginsOf(accountId, userId)
  return {
    sql: `k.account_id = ? AND k.owner_user_id IN ${logins.sql}`,
    values: [accountId, ...logins.values],
  }
}

/** Which keys count for a member until they became service keys: rows `o` of their former owners. */
export function formerKeysOfMember(accountId: string, userId: string): SqlFragment {
  const logins = loginsOf(accountId, userId)
  return {
    sql: `o.account_id = ? AND o.user_id IN ${logins.sql}`,
    values: [accountId, ...logins.values],
  }
}
