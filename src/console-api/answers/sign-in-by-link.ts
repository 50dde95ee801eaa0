import { redeemSignInLink } from '../../accounts/sign-in-link.ts'
import type { SessionAnswer } from '../contract.ts'
import { readBody, requiredText } from '../read-body.ts'
import { Refusal } from '../refusal.ts'
import type { Answer, RouteCall } from '../route.ts'
import { answerNewSession } from './answer-new-session.ts'

const tokenCharactersMax = 100

export async function signInByLink(call: RouteCall): Promise<Answer<SessionAnswer>> {
  const { engine, vault, random, clock } = call.parts
  const token = requiredText(await readBody(call.request), 'token', tokenCharactersMax)
  const session = await call.throttle.attempt({ address: call.context.address }, () =>
    redeemSignInLink(engine, { token, vault, random, nowMs: clock.nowMs() }),
  )
  if (!session) {
    throw new Refusal(
      'link_spent',
      'This sign-in link has been used or is older than an hour. Start the gateway again, or run `tollgate sign-in-link`, to get a new one.',
    )
  }
  return answerNewSession(call, session)
}
