import type { Writing } from '../store/write.ts'

/** Deletes a login with its sessions, links and memberships. Entries of the audit log stay. */
export async function removeLogin({ tx }: Writing, userId: string): Promise<void> {
  await tx.deleteFrom('session').where('user_id', '=', userId).execute()
  await tx.deleteFrom('sign_in_link').where('user_id', '=', userId).execute()
  await tx.deleteFrom('membership').where('user_id', '=', userId).execute()
  await tx.deleteFrom('console_user').where('id', '=', userId).execute()
}
