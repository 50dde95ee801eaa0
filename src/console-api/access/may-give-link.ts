import type { MayGive } from '../../accounts/sign-in-link.ts'
import { isExpired } from '../../admin-tokens/admin-token.ts'
import { mayHaveToken } from '../../admin-tokens/find-token.ts'
import { readToken } from '../../admin-tokens/token-store.ts'
import { tokenOfActor } from '../../admin-tokens/token-value.ts'
import { cliActor } from '../../core/access/cli-actor.ts'
import type { Engine } from '../../store/engine.ts'

/**
 * Whether an actor may still give the link that they got: an operator any link, an owner of the account an invitation,
 * and a token what its creator may.
 */
export function mayGiveAt(nowMs: number): MayGive {
  return async (db, actor, invitedTo) => {
    if (actor === cliActor) return true
    const tokenId = tokenOfActor(actor)
    if (tokenId === undefined) return hasRight(db, actor, invitedTo)
    const token = await readToken(db, tokenId)
    if (!token || token.revokedAtMs !== undefined || isExpired(token, nowMs)) return false
    return token.creatorId === undefined || hasRight(db, token.creatorId, invitedTo)
  }
}

async function hasRight(
  db: Engine['db'],
  userId: string,
  accountId: string | null,
): Promise<boolean> {
  const user = await db
    .selectFrom('console_user as u')
    .leftJoin('membership as m', (join) =>
      join.onRef('m.user_id', '=', 'u.id').on('m.account_id', '=', accountId ?? ''),
    )
    .select(['u.role', 'u.suspended', 'u.invited_to as invitedTo', 'm.role as memberRole'])
    .where('u.id', '=', userId)
    .executeTakeFirst()
  return user !== undefined && mayHaveToken(user, accountId ?? undefined)
}
