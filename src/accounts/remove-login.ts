import { stopKeys } from '../keys/stop-keys.ts'
import type { Writing } from '../store/changes/write.ts'
import { keepLimits } from './former-members.ts'
import { removePasskeysOf } from './passkey-store.ts'

/** Deletes a login with its passkeys, sessions, links and memberships, and stops its keys. Entries of the audit log stay. */
export async function removeLogin(writing: Writing, userId: string): Promise<void> {
  const { tx } = writing
  await stopKeys(writing, { userId })
  await keepLimits(writing, { userId })
  await tx.deleteFrom('session').where('user_id', '=', userId).execute()
  await tx.deleteFrom('sign_in_link').where('user_id', '=', userId).execute()
  await removePasskeysOf(tx, userId)
  await tx.deleteFrom('membership').where('user_id', '=', userId).execute()
  await tx.deleteFrom('console_user').where('id', '=', userId).execute()
}
