import { addSession } from '../../../accounts/session-store.ts'
import { recordAudit } from '../../../store/audit.ts'
import { write } from '../../../store/write.ts'
import type { SessionAnswer } from '../../contract.ts'
import type { JsonAnswer, RouteCall } from '../../route.ts'
import { answerNewSession, placeOf } from './answer-new-session.ts'
import { mailNewBrowser } from './mail-new-browser.ts'

/** Opens a session for a user who has proven their identity. `proof` says with what, in the audit log. */
export async function openSession(
  call: RouteCall,
  userId: string,
  proof: { readonly passkey?: string } = {},
): Promise<JsonAnswer<SessionAnswer>> {
  const { engine, vault, random, clock } = call.deps
  const nowMs = clock.nowMs()
  const session = await write(engine, nowMs, async (writing) => {
    await recordAudit(writing, {
      at: nowMs,
      actor: userId,
      action: 'user.signed-in',
      subject: userId,
      after: { address: call.context.address, ...proof },
    })
    await mailNewBrowser(call, writing, userId)
    return addSession(writing.tx, { userId, vault, random, nowMs, place: placeOf(call) })
  })
  return answerNewSession(call, session)
}
