import { findKeyOwner } from '../../../accounts/find-key-owner.ts'
import { rolesOf } from '../../../accounts/member-store.ts'
import type { ChangeContext } from '../../changes/change.ts'
import { ApiRefusal, unfitField } from '../../refusal.ts'
import type { SignedInCall } from '../../routes/route.ts'

interface RequestedOwner {
  readonly accountId: string
  /** Null: a service key. Undefined: the caller's own key, or a service key if the caller cannot own one. */
  readonly ownerId?: string | null | undefined
}

export type OwnerCall = Pick<SignedInCall, 'session' | 'roles'>

/** Operators and tokens with the role of an owner count as owners. */
export async function ownsAccount(
  call: OwnerCall,
  tx: ChangeContext['tx'],
  accountId: string,
): Promise<boolean> {
  if (call.session.isAdmin) return true
  const roles = call.roles ?? (await rolesOf(tx, call.session.userId))
  return roles.get(accountId) === 'owner'
}

/**
 * The user that will own a new key; null for a service key. Members create keys for themselves. Owners of the account,
 * operators and tokens also create service keys and keys of other members.
 */
export async function chooseOwner(
  call: OwnerCall,
  { tx }: Pick<ChangeContext, 'tx'>,
  { accountId, ownerId: requested }: RequestedOwner,
): Promise<string | null> {
  const { session } = call
  const own = await findKeyOwner(tx, accountId, session.userId)
  if (requested === undefined && own !== undefined) return own
  const isOwner = await ownsAccount(call, tx, accountId)
  const found =
    requested === null || requested === undefined
      ? null
      : await findKeyOwner(tx, accountId, requested)
  // A member gets the same answer for every other name, whether the user exists or not.
  if (!isOwner && (found !== own || own === undefined)) {
    const message = 'An owner of the account creates service keys and keys of other users.'
    throw new ApiRefusal('not_allowed', message, { field: 'ownerId', detail: 'owner_not_you' })
  }
  if (found === undefined) throw unfitField('ownerId', 'owner_unknown', { id: requested ?? '' })
  return found
}
