import { freshenSession } from '../../../accounts/session-store.ts'
import type { DoneAnswer } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { CallOf, JsonAnswer } from '../../route.ts'
import { guessedName } from './guessed-name.ts'
import { proveIdentity } from './prove-identity.ts'

/** Makes the session fresh again, for whoever knows the password, and has the second factor if there is one. */
export async function reauthenticate(
  call: CallOf<'POST /reauthenticate'>,
): Promise<JsonAnswer<DoneAnswer>> {
  const { deps, session } = call
  if (!session.hasPassword) {
    throw new ApiRefusal('wrong_credentials', 'You have no password. Sign out, then sign in again.')
  }
  const claimed = { userId: session.userId }
  // A session is as good as a known device: whoever guesses elsewhere does not keep its owner from going on.
  const claim = { claimed, user: guessedName(session), device: session.id }
  await proveIdentity(call, await call.body(), claim)
  await freshenSession(deps.engine, session.tokenHash, deps.clock.nowMs())
  return { body: { isDone: true } }
}
