import { closeSession } from '../../../accounts/session-store.ts'
import type { DoneAnswer } from '../../contract.ts'
import type { JsonAnswer, SignedInCall } from '../../route.ts'
import { clearedSessionCookie } from '../../session-cookie.ts'

export async function signOut({
  parts,
  session,
  isSecure,
}: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  await closeSession(parts.engine, session.tokenHash)
  return { body: { isDone: true }, cookies: [clearedSessionCookie(isSecure)] }
}
