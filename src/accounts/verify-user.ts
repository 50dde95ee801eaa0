import { sql, type Transaction } from 'kysely'
import { stopKeys } from '../keys/stop-keys.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Tables } from '../store/tables/tables.ts'
import type { Proof } from './definition/user.ts'
import { accountIdsOf, mergeLogin, takeOverInvitations } from './merge-login.ts'
import { removePasskeysOf } from './passkey-store.ts'
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
  await takeOverInvitations(writing, invited.id, await accountIdsOf(tx, invited.id))
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
