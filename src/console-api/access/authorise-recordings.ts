import type { AccountRole } from '../../accounts/definition/member.ts'
import { rolesOf } from '../../accounts/member-store.ts'
import type { Session } from '../../accounts/session-store.ts'
import { findCreatorId } from '../../admin-tokens/token-creators.ts'
import { tokenOfActor } from '../../admin-tokens/token-value.ts'
import { recordingReach } from '../../recording/may-read.ts'
import { findPolicy } from '../../recording/policy-store.ts'
import type { Engine } from '../../store/engine.ts'
import { ApiRefusal } from '../refusal.ts'
import type { Scope } from '../routes/route.ts'

type Db = Engine['db']

interface ReaderClaim {
  readonly session: Session
}

/** Which recordings of the account the caller may read. `place` is the one that the caller asks for. */
export async function readerScope(
  db: Db,
  claim: ReaderClaim,
  accountId: string,
  place?: { readonly ownerId: string | null },
): Promise<Scope> {
  const policy = await findPolicy(db, accountId)
  const { role, userId, isOperator } = await findInsider(db, claim, accountId)
  switch (recordingReach(policy, { role, isOperator })) {
    case 'all':
      return { accountIds: [accountId] }
    case 'own-keys':
      if (place && place.ownerId !== userId)
        throw new ApiRefusal('not_found', 'This recording does not exist.')
      return { accountIds: [accountId], own: { userId, accountIds: [accountId] } }
    case 'none':
      throw new ApiRefusal(
        'not_allowed',
        'The owners of this account have not let you read its recordings.',
      )
  }
}

/** Refuses operators and their tokens, who have the rights of an owner without being one. */
export async function checkMembership(
  db: Db,
  claim: ReaderClaim,
  accountId: string,
): Promise<void> {
  const { role } = await findInsider(db, claim, accountId)
  if (role !== undefined) return
  throw new ApiRefusal(
    'not_allowed',
    'Only an owner of this account, or a token that an owner has created, can do this.',
  )
}

interface Insider {
  /** The person: the caller, or the creator of the token. */
  readonly userId: string
  /** Undefined when the person is no member of the account. */
  readonly role: AccountRole | undefined
  readonly isOperator: boolean
}

/** A token has the rights of its creator here, and no more. A token without a creator is one of the operators. */
async function findInsider(db: Db, { session }: ReaderClaim, accountId: string): Promise<Insider> {
  const tokenId = tokenOfActor(session.userId)
  const userId = tokenId === undefined ? session.userId : await findCreatorId(db, tokenId)
  const isForAll = tokenId !== undefined && session.isAdmin
  const role =
    userId === undefined || isForAll ? undefined : (await rolesOf(db, userId)).get(accountId)
  const isOperator = session.isAdmin || (tokenId !== undefined && role === undefined)
  return { userId: userId ?? session.userId, role, isOperator }
}
