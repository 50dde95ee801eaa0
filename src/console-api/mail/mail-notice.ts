import { type Notice, noticeMail } from '../../outbox/notice-texts.ts'
import { enqueue } from '../../outbox/outbox-store.ts'
import type { Writing } from '../../store/changes/write.ts'
import type { RouteCall } from '../routes/route.ts'

/** Queues an email to the user in the transaction of the change, if there is a mail server. */
export async function mailNotice(
  { deps, context }: Pick<RouteCall, 'deps' | 'context'>,
  writing: Pick<Writing, 'tx'>,
  userId: string,
  notice: Notice,
): Promise<void> {
  const { mail } = deps.gateway
  if (!mail) return
  const user = await writing.tx
    .selectFrom('console_user')
    .select(['email', 'invited_email', 'language'])
    .where('id', '=', userId)
    .where('suspended', '=', 0)
    .executeTakeFirst()
  if (!user) return
  const nowMs = deps.clock.nowMs()
  const accountUrl = `${mail.publicUrl}/console/account`
  const facts = { atMs: nowMs, address: context.address, accountUrl }
  await enqueue(
    writing,
    { vault: deps.vault, nowMs },
    {
      purpose: 'security-notice',
      accountId: null,
      alertId: null,
      channel: 'email',
      target: user.invited_email ?? user.email,
      content: { mail: noticeMail(notice, facts, user.language) },
    },
  )
}
