import type { MemberSource } from '../../../accounts/definition/member.ts'
import type { Engine } from '../../../store/engine.ts'
import { refuse } from '../../refusal.ts'
import type { RouteCall, SignedInCall } from '../../routes/route.ts'

/** Users whom the identity provider created. While there is a provider, they sign in only with it. */
export const fromProvider: MemberSource = 'open-id'

type SessionCall = Pick<SignedInCall, 'session'> & Pick<RouteCall, 'deps'>

/**
 * A user that the identity provider created gets no password and no passkey, and one from a time without a provider does
 * not count: with one of them, a person could still sign in after the provider has blocked them.
 */
export function refuseProviderUser(call: SessionCall): void {
  if (isOfProvider(call)) throw refuse('conflict', 'sign_in_open_id')
}

/** Whether only the provider signs this user in. If the gateway no longer has a provider, the user needs another way. */
export function isOfProvider({ deps, session }: SessionCall): boolean {
  return deps.openId !== undefined && session.source === fromProvider
}

/** Whether only the provider signs this user in. The user may have set a password while there was no provider. */
export async function needsProvider(
  { deps }: Pick<RouteCall, 'deps'>,
  db: Engine['db'],
  userId: string,
): Promise<boolean> {
  if (!deps.openId) return false
  const user = await db
    .selectFrom('console_user')
    .select('source')
    .where('id', '=', userId)
    .executeTakeFirst()
  return user?.source === fromProvider
}
