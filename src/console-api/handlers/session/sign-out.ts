import { closeSession } from '../../../accounts/session-store.ts'
import type { DoneAnswer } from '../../contract.ts'
import { clearedSessionCookies } from '../../http/session-cookie.ts'
import type { JsonAnswer, SignedInCall } from '../../routes/route.ts'

export async function signOut({
  deps,
  session,
  isSecure,
}: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  await closeSession(deps.engine, session.tokenHash)
  return { body: { isDone: true }, cookies: clearedSessionCookies(isSecure) }
}
