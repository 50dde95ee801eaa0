import type { SessionAnswer } from '../../contract.ts'
import type { JsonAnswer, RouteCall } from '../../routes/route.ts'
import { describeSession } from './describe-session.ts'

/** The current session. Without a sign-in this is not an error: the app calls it first. */
export async function readSession(call: RouteCall): Promise<JsonAnswer<SessionAnswer>> {
  return { body: await describeSession(call, call.session) }
}
