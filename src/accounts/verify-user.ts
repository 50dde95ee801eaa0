import { sql, type Transaction } from 'kysely'
import { announceKeys, handOverKeys, stopKeys } from '../keys/stop-keys.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Tables } from '../store/tables/tables.ts'
import type { Proof } from './definition/user.ts'
import { followSuccessor, strictestOf } from './former-members.ts'
import { removePasskeysOf } from './passkey-store.ts'
import { removeLogin } from './remove-login.ts'
import { closeAllSessions } from './session-store.ts'

/**
 * An invited login of an earlier version still occupies its address as sign-in name. This frees the address for the
 * verified login.
 */
export async function freeAddress(tx: Transaction<Tables>, email: string): Promise<void> {
  await tx
    .updateTable('console_user')
    .set({ email: sql<string>`email || ' ' || id` })
    .where('email', '=', email)
    .where('invited_to', 'is not', null)
    .execute()
}

/**
 * Turns an invited login into a verified one, and returns the id of the verified login. The inviter may know every
 * secret that was set before, so all secrets are deleted, and the keys of the login lose their values. If the address
 * already has a verified login, that login takes over the memberships and keeps its own secrets.
 */
export async function verifyUser(
  writing: Writing,
  invited: { readonly id: string; readonly email: string },
  { proof, nowMs }: { readonly proof: Proof; readonly nowMs: number },
): Promise<string> {
  const { tx } = writing
  const known = await tx
    .selectFrom('console_user')
    .select('id')
    .where('email', '=', invited.email)
    .where('invited_to', 'is', null)
    .executeTakeFirst()
  if (known) {
    await mergeLogin(writing, invited.id, known.id)
    return known.id
  }
  await freeAddress(tx, invited.email)
  await stopKeys(writing, { userId: invited.id })
  await clearLogin(tx, invited.id)
  await tx
    .updateTable('console_user')
    .set({
      email: invited.email,
      invited_email: null,
      invited_to: null,
      invited_by: null,
      proof,
      proven_at: nowMs,
    })
    .where('id', '=', invited.id)
    .execute()
  return invited.id
}

/** Ends everything that opens a login: password, authenticator app, recovery codes, passkeys, sessions and links. */
export async function clearLogin(tx: Transaction<Tables>, userId: string): Promise<void> {
  await closeAllSessions(tx, userId)
  await tx.deleteFrom('sign_in_link').where('user_id', '=', userId).execute()
  await removePasskeysOf(tx, userId)
  await tx
    .updateTable('console_user')
    .set({
      password_hash: null,
      totp_sealed: null,
      totp_wanted_sealed: null,
      recovery_hashes: '[]',
    })
    .where('id', '=', userId)
    .execute()
}

/**
 * Moves memberships and keys of an invited login to the verified login of the same person, and deletes the invited
 * login.
 */
export async function mergeLogin(
  writing: Writing,
  invitedId: string,
  userId: string,
): Promise<void> {
  await takeOverMemberships(writing, invitedId, userId)
  await handOverKeys(writing, { fromUserId: invitedId, toUserId: userId })
  await removeLogin(writing, invitedId)
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
