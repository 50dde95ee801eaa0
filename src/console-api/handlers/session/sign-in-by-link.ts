import { redeemSignInLink } from '../../../accounts/sign-in-link.ts'
import type { Writing } from '../../../store/changes/write.ts'
import type { SessionAnswer } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { answerNewSession } from './answer-new-session.ts'
import { mailNewBrowser } from './mail-new-browser.ts'
import { readLink, tryLink } from './try-link.ts'

export async function signInByLink(
  call: CallOf<'POST /sign-in-link'>,
): Promise<JsonAnswer<SessionAnswer>> {
  const link = await readLink(call)
  const notify = (writing: Writing, userId: string) => mailNewBrowser(call, writing, userId)
  const session = await tryLink(call, () => redeemSignInLink(call.deps.engine, { ...link, notify }))
  if (!session) {
    throw new ApiRefusal(
      'link_spent',
      'This sign-in link was already used or has expired. Restart the gateway or run `tollgate sign-in-link` to get a new one.',
    )
  }
  return answerNewSession(call, session)
}
