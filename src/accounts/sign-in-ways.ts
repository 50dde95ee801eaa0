import type { Engine } from '../store/engine.ts'

type Db = Engine['db']

/** What this gateway offers for a sign-in besides passwords. */
export interface SignInOffer {
  readonly hasOpenId: boolean
  /** The host name at which passkeys work; undefined: nowhere. */
  readonly rpId: string | undefined
}

/** Whether a user has a password, an identity at the provider, or a passkey that works here. */
export async function hasSignInWay(db: Db, userId: string, offer: SignInOffer): Promise<boolean> {
  const row = await usersWithWay(db, offer).where('u.id', '=', userId).executeTakeFirst()
  return row !== undefined
}

/** Whether an administrator can sign in without a link. */
export async function adminHasSignInWay(db: Db, offer: SignInOffer): Promise<boolean> {
  const row = await usersWithWay(db, offer)
    .where('u.role', '=', 'admin')
    .where('u.invited_to', 'is', null)
    .where('u.suspended', '=', 0)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

function usersWithWay(db: Db, { hasOpenId, rpId }: SignInOffer) {
  return db
    .selectFrom('console_user as u')
    .select('u.id')
    .where(({ eb, exists, or, selectFrom }) =>
      or([
        eb('u.password_hash', 'is not', null),
        ...(hasOpenId ? [eb('u.open_id', 'is not', null)] : []),
        ...(rpId === undefined
          ? []
          : [
              exists(
                selectFrom('passkey as p')
                  .select('p.id')
                  .whereRef('p.user_id', '=', 'u.id')
                  .where('p.rp_id', '=', rpId),
              ),
            ]),
      ]),
    )
}
