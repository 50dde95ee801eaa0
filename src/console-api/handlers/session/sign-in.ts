import type { SessionAnswer } from '../../contract.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { openSession } from './open-session.ts'
import { proveIdentity, wrongPassword } from './prove-identity.ts'
import { needsProvider } from './refuse-provider-user.ts'
import { throttleName } from './throttle-name.ts'

export async function signIn(call: CallOf<'POST /sign-in'>): Promise<JsonAnswer<SessionAnswer>> {
  const { email, account, ...proof } = await call.body()
  const user = await proveIdentity(call, proof, {
    claimed: { email, account },
    user: throttleName({ email, invitedTo: account }),
  })
  return openSession(call, user.id, {
    check: async (db) => {
      if (!(await user.isStillGood(db)) || (await needsProvider(call, db, user.id)))
        throw wrongPassword()
    },
  })
}
