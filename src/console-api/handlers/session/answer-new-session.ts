import {
  findSession,
  type NewSession,
  type SessionOrigin,
} from '../../../accounts/session-store.ts'
import type { SessionAnswer } from '../../contract.ts'
import { sessionCookie } from '../../http/session-cookie.ts'
import type { JsonAnswer, RouteCall } from '../../routes/route.ts'
import { describeSession } from './describe-session.ts'
import { rememberDevice } from './remember-device.ts'

/** Sets the cookie of a new session and describes it. */
export async function answerNewSession(
  call: RouteCall,
  { token, userId }: NewSession,
): Promise<JsonAnswer<SessionAnswer>> {
  const { engine, vault, clock } = call.deps
  const session = await findSession(engine, { token, vault, nowMs: clock.nowMs() })
  return {
    body: await describeSession(call, session),
    cookies: [sessionCookie(token, call.isSecure), ...(await rememberDevice(call, userId))],
  }
}

export function sessionOriginOf({ context, request, isSecure }: RouteCall): SessionOrigin {
  return { address: context.address, agent: request.headers.get('user-agent'), isSecure }
}
