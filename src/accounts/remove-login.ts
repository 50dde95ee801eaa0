import { stopKeys } from '../keys/stop-keys.ts'
import type { Writing } from '../store/changes/write.ts'
import { keepLimits } from './former-members.ts'
import { invitedLoginsOf, recordEnded } from './invited-logins.ts'
import { removePasskeysOf } from './passkey-store.ts'

/** Deletes a login with its passkeys, sessions, links and memberships, and stops its keys. Entries of the audit log stay. */
export async function removeLogin(writing: Writing, userId: string): Promise<void> {
  const { tx } = writing
  await endMemberships(writing, { userId })
  await tx.deleteFrom('session').where('user_id', '=', userId).execute()
  await tx.deleteFrom('sign_in_link').where('user_id', '=', userId).execute()
  await removePasskeysOf(tx, userId)
  await tx.deleteFrom('console_user').where('id', '=', userId).execute()
}

/**
 * Ends the membership of a user in one account, or in all, and with it the keys of the user there. The limits are kept
 * for the case that the user comes back. A process of an earlier version may have left an invitation of the same person
 * to such an account open: it ends, too.
 */
export async function endMemberships(
  writing: Writing,
  of: { readonly userId: string; readonly accountId?: string },
): Promise<void> {
  const { userId, accountId } = of
  await stopKeys(writing, of)
  await keepLimits(writing, of)
  const query = writing.tx.deleteFrom('membership').where('user_id', '=', userId)
  const ended = await (accountId === undefined ? query : query.where('account_id', '=', accountId))
    .returning('account_id')
    .execute()
  const accountIds = ended.map((row) => row.account_id)
  for (const invited of await invitedLoginsOf(writing, userId, accountIds)) {
    await recordEnded(writing, invited)
    await removeLogin(writing, invited.id)
  }
}
