import { hasPasskeyAt } from '../../../accounts/passkey-store.ts'
import type { Engine } from '../../../store/engine.ts'
import type { RouteCall } from '../../routes/route.ts'

/** Whether the user has a password, an identity at the provider, or a passkey that works here. */
export async function canSignIn(
  db: Engine['db'],
  { openId, relyingParty }: RouteCall['deps'],
  userId: string,
): Promise<boolean> {
  const user = await db
    .selectFrom('console_user')
    .select(['password_hash', 'open_id'])
    .where('id', '=', userId)
    .executeTakeFirst()
  if (!user) return false
  if (user.password_hash !== null || (openId && user.open_id !== null)) return true
  return relyingParty !== undefined && hasPasskeyAt(db, userId, relyingParty.id)
}
