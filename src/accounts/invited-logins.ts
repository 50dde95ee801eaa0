import { gatewayActor, recordAudit } from '../store/changes/audit.ts'
import type { Writing } from '../store/changes/write.ts'

interface InvitedLogin {
  readonly id: string
  readonly accountId: string
  readonly email: string
  readonly role: string
}

/**
 * The logins that invitations have created for the address of a verified login, whether or not somebody can still accept
 * them. A login that is not verified has none: nobody knows whose address it is.
 */
export async function invitedLoginsOf(
  { tx }: Pick<Writing, 'tx'>,
  userId: string,
  accountIds: readonly string[],
): Promise<InvitedLogin[]> {
  const rows = await tx
    .selectFrom('console_user as u')
    .innerJoin('console_user as i', 'i.invited_email', 'u.email')
    .innerJoin('membership as m', (join) =>
      join.onRef('m.user_id', '=', 'i.id').onRef('m.account_id', '=', 'i.invited_to'),
    )
    .select(['i.id', 'u.email', 'm.account_id', 'm.role'])
    .where('u.id', '=', userId)
    .where('u.invited_to', 'is', null)
    .execute()
  return rows
    .filter((row) => accountIds.includes(row.account_id))
    .map(({ account_id: accountId, ...row }) => ({ ...row, accountId }))
}

export function recordEnded(
  writing: Writing,
  { id: userId, accountId: subject, email, role }: InvitedLogin,
): Promise<void> {
  return recordAudit(writing, {
    at: writing.nowMs,
    actor: gatewayActor,
    action: 'member.invitation-ended',
    subject,
    before: { userId, email, role },
  })
}
