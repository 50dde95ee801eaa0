import { closeSession } from '../../accounts/session-store.ts'
import type { DoneAnswer } from '../contract.ts'
import type { Answer, SignedInCall } from '../route.ts'
import { clearedSessionCookie } from '../session-cookie.ts'

export async function signOut({
  parts,
  session,
  isSecure,
}: SignedInCall): Promise<Answer<DoneAnswer>> {
  await closeSession(parts.engine, session.tokenHash)
  return { body: { isDone: true }, cookie: clearedSessionCookie(isSecure) }
}
