import { findSession, type NewSession } from '../../accounts/session-store.ts'
import type { SessionAnswer } from '../contract.ts'
import type { Answer, RouteCall } from '../route.ts'
import { sessionCookie } from '../session-cookie.ts'
import { describeSession } from './describe-session.ts'

/** Sets the cookie of a session that was just opened, and tells who that is. */
export async function answerNewSession(
  { parts, isSecure }: RouteCall,
  { token }: NewSession,
): Promise<Answer<SessionAnswer>> {
  const { engine, vault, clock } = parts
  const session = await findSession(engine, { token, vault, nowMs: clock.nowMs() })
  return {
    body: await describeSession(engine, session),
    cookie: sessionCookie(token, isSecure),
  }
}
