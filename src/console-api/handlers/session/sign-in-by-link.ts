import { redeemSignInLink } from '../../../accounts/sign-in-link.ts'
import type { Writing } from '../../../store/changes/write.ts'
import { mayGiveAt } from '../../access/may-give-link.ts'
import type { SessionAnswer } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { answerNewSession, sessionOriginOf } from './answer-new-session.ts'
import { mailNewBrowser } from './mail-new-browser.ts'
import { tryLink } from './try-link.ts'

export async function signInByLink(
  call: CallOf<'POST /sign-in-link'>,
): Promise<JsonAnswer<SessionAnswer>> {
  const { engine, vault, random, clock } = call.deps
  const { token } = await call.body()
  const nowMs = clock.nowMs()
  const parts = {
    token,
    vault,
    random,
    nowMs,
    mayGive: mayGiveAt(nowMs),
    origin: sessionOriginOf(call),
    notify: (writing: Writing, userId: string) => mailNewBrowser(call, writing, userId),
  }
  const session = await tryLink(call, () => redeemSignInLink(engine, parts))
  if (!session) {
    throw new ApiRefusal(
      'link_spent',
      'This sign-in link was already used or is more than 1 hour old. Restart the gateway or run `tollgate sign-in-link` to get a new one.',
    )
  }
  return answerNewSession(call, session)
}
