import type { SessionAnswer } from '../../contract.ts'
import type { JsonAnswer, RouteCall } from '../../route.ts'
import { describeSession } from './describe-session.ts'

/** Who is signed in. Nobody is an answer, not an error: the app asks before it knows. */
export async function readSession(call: RouteCall): Promise<JsonAnswer<SessionAnswer>> {
  return { body: await describeSession(call, call.session) }
}
