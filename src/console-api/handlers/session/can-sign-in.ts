import { hasSignInWay } from '../../../accounts/sign-in-ways.ts'
import type { Engine } from '../../../store/engine.ts'
import type { RouteCall } from '../../routes/route.ts'

/** Whether the user has a password, an identity at the provider, or a passkey that works here. */
export function canSignIn(
  db: Engine['db'],
  { openId, relyingParty }: Pick<RouteCall['deps'], 'openId' | 'relyingParty'>,
  userId: string,
): Promise<boolean> {
  return hasSignInWay(db, userId, { hasOpenId: openId !== undefined, rpId: relyingParty?.id })
}
