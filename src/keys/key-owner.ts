import { sql } from 'kysely'
import type { Engine } from '../store/engine.ts'

/**
 * Whether the owner of a key may use the key: a service key has no owner, a user must be a member of the account who is
 * not suspended. A viewer uses no key. A role that this version does not know counts as a viewer, and a login with an
 * unverified address belongs only to the account that invited it.
 */
const hasActiveOwner = sql<boolean>`(api_key.owner_user_id IS NULL OR EXISTS (
  SELECT 1 FROM membership m JOIN console_user u ON u.id = m.user_id
  WHERE m.user_id = api_key.owner_user_id AND m.account_id = api_key.account_id
    AND m.role IN ('member', 'owner') AND u.suspended = 0
    AND (u.invited_to IS NULL OR u.invited_to = m.account_id)))`

/** Whether a key has its value and an owner who may use the key. */
export const isRunning = sql<boolean>`(api_key.stopped = 0 AND ${hasActiveOwner})`

/** The same as a column: 1 or 0. */
export const running = sql<number>`CASE WHEN ${isRunning} THEN 1 ELSE 0 END`.as('running')

/**
 * Whether answers to a key may contain the balance of the account, as a column: 1 or 0. Two balances show what others
 * have spent, so only service keys and keys of account owners get them. An unverified login counts as a member.
 */
const seesBalance = sql<number>`CASE WHEN api_key.owner_user_id IS NULL OR EXISTS (
  SELECT 1 FROM membership m JOIN console_user u ON u.id = m.user_id
  WHERE m.user_id = api_key.owner_user_id AND m.account_id = api_key.account_id
    AND m.role = 'owner' AND u.invited_to IS NULL) THEN 1 ELSE 0 END`.as('sees_balance')

/** Keys with everything that depends on their owners. */
export function keysWithOwners(db: Engine['db']) {
  return db
    .selectFrom('api_key')
    .leftJoin('membership as member', (join) =>
      join
        .onRef('member.user_id', '=', 'api_key.owner_user_id')
        .onRef('member.account_id', '=', 'api_key.account_id'),
    )
    .selectAll('api_key')
    .select([
      running,
      seesBalance,
      'member.requests_per_minute as member_requests_per_minute',
      'member.tokens_per_minute as member_tokens_per_minute',
      'member.concurrent_requests as member_concurrent_requests',
    ])
}
