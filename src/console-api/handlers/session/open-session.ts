import { addSession } from '../../../accounts/session-store.ts'
import { recordAudit } from '../../../store/changes/audit.ts'
import { write } from '../../../store/changes/write.ts'
import type { Engine } from '../../../store/engine.ts'
import type { SessionAnswer } from '../../contract.ts'
import type { JsonAnswer, RouteCall } from '../../routes/route.ts'
import { answerNewSession, sessionOriginOf } from './answer-new-session.ts'
import { mailNewBrowser } from './mail-new-browser.ts'

interface Proof {
  /** Throws if the proof is no longer good: a change of the password must also end a sign-in that has begun before. */
  readonly check: (db: Engine['db']) => Promise<void>
  /** How the user signed in, for the audit log. */
  readonly audited?: { readonly passkey: string }
}

/** Opens a session for a user who has proven their identity. */
export async function openSession(
  call: RouteCall,
  userId: string,
  { check, audited }: Proof,
): Promise<JsonAnswer<SessionAnswer>> {
  const { engine, vault, random, clock } = call.deps
  const nowMs = clock.nowMs()
  const session = await write(engine, nowMs, async (writing) => {
    await check(writing.tx)
    await recordAudit(writing, {
      at: nowMs,
      actor: userId,
      action: 'user.signed-in',
      subject: userId,
      after: { address: call.context.address, ...audited },
    })
    await mailNewBrowser(call, writing, userId)
    const origin = sessionOriginOf(call)
    const replaced = call.session?.tokenHash
    return addSession(writing.tx, { userId, vault, random, nowMs, origin, replaced })
  })
  return answerNewSession(call, session)
}
