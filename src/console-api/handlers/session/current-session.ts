import { closeSession } from '../../../accounts/session-store.ts'
import type { DoneAnswer, SessionAnswer } from '../../contract.ts'
import { clearedSessionCookies } from '../../http/session-cookie.ts'
import type { JsonAnswer, RouteCall, SignedInCall } from '../../routes/route.ts'
import { describeSession } from './describe-session.ts'

/** The current session. Without a sign-in this is not an error: the app calls it first. */
export async function readSession(call: RouteCall): Promise<JsonAnswer<SessionAnswer>> {
  return { body: await describeSession(call, call.session) }
}

export async function signOut({
  deps,
  session,
  isSecure,
}: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  await closeSession(deps.engine, session.tokenHash)
  return { body: { isDone: true }, cookies: clearedSessionCookies(isSecure) }
}
