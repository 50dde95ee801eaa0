import { listPasskeys } from '../../../accounts/passkey-store.ts'
import { closeOtherSessions } from '../../../accounts/session-store.ts'
import { dropLinks } from '../../../accounts/sign-in-link.ts'
import { changeLogin } from '../../../accounts/user-store.ts'
import type { Engine } from '../../../store/engine.ts'
import { hashPassword } from '../../../store/secrets/password.ts'
import { checkFresh } from '../../access/authorise.ts'
import { change } from '../../changes/change.ts'
import type { DoneAnswer } from '../../contract.ts'
import { mailNotice } from '../../mail/mail-notice.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { canSignIn } from './can-sign-in.ts'
import { refuseProviderUser } from './refuse-provider-user.ts'
import { rememberDevice } from './remember-device.ts'

/** Sets the user's own password and ends all other sessions and unused links. */
export async function setPassword(call: CallOf<'POST /password'>): Promise<JsonAnswer<DoneAnswer>> {
  const { session, deps } = call
  const { password } = await call.body()
  const { userId } = session
  refuseProviderUser(call)
  // Only a user who has no other way to prove the identity may take longer: the first password is set during setup.
  if (await canSignIn(deps.engine.db, deps, userId)) checkFresh(session, deps.clock.nowMs())
  const hash = await call.throttle.inTurn('hashing', true, () => hashPassword(password))
  await change(call, async (changing) => {
    await changeLogin(changing, userId, { passwordHash: hash })
    await closeOtherSessions(changing.tx, session)
    await dropLinks(changing, userId)
    await changing.record({ action: 'user.set-password', subject: userId })
    // A new person who sets the first password expects no email about it.
    if (session.hasPassword || (await hasOtherWay(changing.tx, userId)))
      await mailNotice(call, changing, userId, 'password-set')
  })
  return { body: { isDone: true }, cookies: await rememberDevice(call, userId) }
}

/** Whether the user could sign in without a password, here or at an earlier host name. */
async function hasOtherWay(db: Engine['db'], userId: string): Promise<boolean> {
  const user = await db
    .selectFrom('console_user')
    .select('open_id')
    .where('id', '=', userId)
    .executeTakeFirst()
  return typeof user?.open_id === 'string' || (await listPasskeys(db, userId)).length > 0
}
