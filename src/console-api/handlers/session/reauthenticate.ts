import { freshenSession } from '../../../accounts/session-store.ts'
import type { DoneAnswer } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { proveIdentity } from './prove-identity.ts'
import { refuseProviderUser } from './refuse-provider-user.ts'
import { throttleName } from './throttle-name.ts'

/** Renews the recent sign-in of a session with the password and, where set up, the second factor. */
export async function reauthenticate(
  call: CallOf<'POST /reauthenticate'>,
): Promise<JsonAnswer<DoneAnswer>> {
  const { deps, session } = call
  refuseProviderUser(call)
  if (!session.hasPassword) {
    throw new ApiRefusal('wrong_credentials', 'You have no password. Sign out, then sign in again.')
  }
  const claimed = { userId: session.userId }
  // A session counts as a known device, so that attempts from elsewhere cannot lock it out.
  const claim = { claimed, user: throttleName(session), device: session.id }
  await proveIdentity(call, await call.body(), claim)
  await freshenSession(deps.engine, session.tokenHash, deps.clock.nowMs())
  return { body: { isDone: true } }
}
