import { isOpenIdOnly } from '../../../accounts/sign-in-ways.ts'
import type { Engine } from '../../../store/engine.ts'
import { refuse } from '../../refusal.ts'
import type { RouteCall, SignedInCall } from '../../routes/route.ts'

type SessionCall = Pick<SignedInCall, 'session'> & Pick<RouteCall, 'deps'>

/** A user whom only the identity provider signs in gets no password and no passkey, and cannot use one. */
export function refuseProviderUser(call: SessionCall): void {
  if (isOfProvider(call)) throw refuse('conflict', 'sign_in_open_id')
}

/** Whether only the provider signs this user in. If the gateway no longer has a provider, the user needs another way. */
export function isOfProvider({ deps, session }: SessionCall): boolean {
  return isOpenIdOnly(session.source, deps.openId !== undefined)
}

/** Whether only the provider signs this user in. */
export async function needsProvider(
  { deps }: Pick<RouteCall, 'deps'>,
  db: Engine['db'],
  userId: string,
): Promise<boolean> {
  const user = await db
    .selectFrom('console_user')
    .select('source')
    .where('id', '=', userId)
    .executeTakeFirst()
  return user !== undefined && isOpenIdOnly(user.source, deps.openId !== undefined)
}
