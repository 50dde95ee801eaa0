import { hasSessionFrom } from '../../../accounts/session-store.ts'
import type { Writing } from '../../../store/changes/write.ts'
import { findDevice } from '../../http/device-cookie.ts'
import { mailNotice } from '../../mail/mail-notice.ts'
import type { RouteCall } from '../../routes/route.ts'
import { sessionOriginOf } from './answer-new-session.ts'

/**
 * Tells the user of a sign-in with a new browser; call it before the session is added. A browser is known by its mark,
 * which only users with a password have, or by a session from the same address and browser.
 */
export async function mailNewBrowser(
  call: RouteCall,
  writing: Pick<Writing, 'tx'>,
  userId: string,
): Promise<void> {
  const { vault, clock, gateway } = call.deps
  if (!gateway.mail) return
  const nowMs = clock.nowMs()
  const user = await writing.tx
    .selectFrom('console_user')
    .select('password_hash')
    .where('id', '=', userId)
    .executeTakeFirst()
  const passwordHash = user?.password_hash ?? undefined
  if (passwordHash === undefined) return
  if (findDevice(call.request, { id: userId, passwordHash }, { vault, nowMs })) return
  if (await hasSessionFrom(writing.tx, { userId, nowMs, origin: sessionOriginOf(call) })) return
  await mailNotice(call, writing, userId, 'new-browser')
}
