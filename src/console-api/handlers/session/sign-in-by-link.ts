import { redeemSignInLink } from '../../../accounts/sign-in-link.ts'
import type { SessionAnswer } from '../../contract.ts'
import { Refusal } from '../../refusal.ts'
import type { CallOf, JsonAnswer } from '../../route.ts'
import { answerNewSession, placeOf } from './answer-new-session.ts'
import { tryLink } from './try-link.ts'

export async function signInByLink(
  call: CallOf<'POST /sign-in-link'>,
): Promise<JsonAnswer<SessionAnswer>> {
  const { engine, vault, random, clock } = call.parts
  const { token } = await call.body()
  const parts = { token, vault, random, nowMs: clock.nowMs(), place: placeOf(call) }
  const session = await tryLink(call, () => redeemSignInLink(engine, parts))
  if (!session) {
    throw new Refusal(
      'link_spent',
      'This sign-in link was already used or is more than 1 hour old. Restart the gateway or run `tollgate sign-in-link` to get a new one.',
    )
  }
  return answerNewSession(call, session)
}
