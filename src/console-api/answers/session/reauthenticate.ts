import { freshenSession } from '../../../accounts/session-store.ts'
import type { DoneAnswer } from '../../contract.ts'
import { Refusal } from '../../refusal.ts'
import type { JsonAnswer, SignedInCall } from '../../route.ts'
import { proveIdentity } from './prove-identity.ts'

/** Makes the session fresh again, for whoever knows the password, and has the second factor if there is one. */
export async function reauthenticate(call: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  const { parts, session } = call
  if (!session.hasPassword) {
    throw new Refusal('wrong_credentials', 'You have no password. Sign out, and sign in again.')
  }
  await proveIdentity(call, session.email)
  await freshenSession(parts.engine, session.tokenHash, parts.clock.nowMs())
  return { body: { isDone: true } }
}
