import type { Engine } from '../store/engine.ts'
import type { MemberSource } from './definition/member.ts'

type Db = Engine['db']

/** What this gateway offers for a sign-in besides passwords. */
export interface SignInOffer {
  readonly hasOpenId: boolean
  /** The host name at which passkeys work; undefined: nowhere. */
  readonly rpId: string | undefined
}

/** Users whom the identity provider created. While there is a provider, they sign in only with it. */
export const fromProvider: MemberSource = 'open-id'

/**
 * Whether only the provider signs a user in. A password or passkey that the user has from a time without a provider does
 * not count then: a person whom the provider has blocked could still sign in with it.
 */
export function isOpenIdOnly(source: string, hasOpenId: boolean): boolean {
  return hasOpenId && source === fromProvider
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
    .where(({ and, eb, exists, or, selectFrom }) => {
      const ofPlace = selectFrom('passkey as p')
        .select('p.id')
        .whereRef('p.user_id', '=', 'u.id')
        .where('p.rp_id', '=', rpId ?? '')
      const own = or([
        eb('u.password_hash', 'is not', null),
        ...(rpId === undefined ? [] : [exists(ofPlace)]),
      ])
      if (!hasOpenId) return own
      // See `isOpenIdOnly`.
      return or([eb('u.open_id', 'is not', null), and([eb('u.source', '<>', fromProvider), own])])
    })
}
