import type { Transaction } from 'kysely'
import { announceKeys, handOverKeys } from '../keys/stop-keys.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Tables } from '../store/tables/tables.ts'
import { followSuccessor, strictestOf } from './former-members.ts'
import { invitedLoginsOf, recordEnded } from './invited-logins.ts'
import { removeLogin } from './remove-login.ts'

/**
 * Moves memberships and keys of an invited login to the verified login of the same person, and deletes the invited
 * login.
 */
export async function mergeLogin(
  writing: Writing,
  invitedId: string,
  userId: string,
): Promise<void> {
  const accountIds = await accountIdsOf(writing.tx, invitedId)
  await takeOverMemberships(writing, invitedId, userId)
  await handOverKeys(writing, { fromUserId: invitedId, toUserId: userId })
  await removeLogin(writing, invitedId)
  await takeOverInvitations(writing, userId, accountIds)
}

/**
 * Called when a person joins accounts: no invitation of the same person to them stays open, because it could later
 * return a role that the person has lost. A person who is not a member yet becomes one with the invited role and limits,
 * which the caller replaces.
 */
export async function takeOverInvitations(
  writing: Writing,
  userId: string,
  accountIds: readonly string[],
): Promise<void> {
  const findNext = async () => (await invitedLoginsOf(writing, userId, accountIds))[0]
  // Merging one login may merge others.
  for (let next = await findNext(); next; next = await findNext()) {
    await recordEnded(writing, next)
    await mergeLogin(writing, next.id, userId)
  }
}

/** The accounts of which a login is a member, whatever rights this gives. */
export async function accountIdsOf(tx: Transaction<Tables>, userId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('membership')
    .select('account_id')
    .where('user_id', '=', userId)
    .execute()
  return rows.map((row) => row.account_id)
}

/** A membership that the login already has keeps its role, and gets the stricter limits. */
async function takeOverMemberships(
  writing: Writing,
  fromUserId: string,
  toUserId: string,
): Promise<void> {
  const { tx, announce, nowMs } = writing
  const membershipsOf = (userId: string) =>
    tx.selectFrom('membership').selectAll().where('user_id', '=', userId).execute()
  const own = new Map((await membershipsOf(toUserId)).map((row) => [row.account_id, row]))
  for (const row of await membershipsOf(fromUserId)) {
    const { account_id: accountId } = row
    const limits = strictestOf(own.get(accountId) ?? row, row, nowMs)
    await tx
      .insertInto('membership')
      .values({ ...row, ...limits, user_id: toUserId })
      .onConflict((conflict) => conflict.columns(['user_id', 'account_id']).doUpdateSet(limits))
      .execute()
    announce('account', accountId)
    await announceKeys(writing, { userId: toUserId, accountId })
  }
  await followSuccessor({ tx }, fromUserId, toUserId)
  await tx.deleteFrom('membership').where('user_id', '=', fromUserId).execute()
}
