import type { SessionAnswer } from '../contract.ts'
import type { Answer, RouteCall } from '../route.ts'
import { describeSession } from './describe-session.ts'

/** Who is signed in. Nobody is an answer, not an error: the app asks before it knows. */
export async function readSession({ parts, session }: RouteCall): Promise<Answer<SessionAnswer>> {
  return { body: await describeSession(parts.engine, session) }
}
