import { type AdminToken, isExpired } from '../../../admin-tokens/admin-token.ts'
import { auditedToken } from '../../../admin-tokens/audited-token.ts'
import { findCreators, type TokenCreatorDetails } from '../../../admin-tokens/token-creators.ts'
import type { Engine } from '../../../store/engine.ts'
import type { TokenRow, TokenState } from '../../contract.ts'
import type { SignedInCall } from '../../routes/route.ts'

/** Tokens with their settings and state. */
export async function describeTokens(
  db: Engine['db'],
  tokens: readonly AdminToken[],
  { deps, session }: Pick<SignedInCall, 'deps' | 'session'>,
): Promise<TokenRow[]> {
  const creators = await findCreators(db, tokens)
  const nowMs = deps.clock.nowMs()
  return tokens.map((token) => {
    const creator = creators.get(token.id)
    // Rows of this table are never deleted.
    if (!creator) throw new Error(`the token ${token.id} is gone`)
    return {
      id: token.id,
      ...auditedToken(token),
      state: stateOf(token, creator, nowMs),
      hint: token.hint,
      madeBy: token.madeBy,
      ...shownCreator(creator, session.isAdmin),
      createdAt: token.createdAtMs,
      usedAt: token.usedAtMs ?? null,
      usedAddress: token.usedAddress ?? null,
      revokedAt: token.revokedAtMs ?? null,
    }
  })
}

/** Owners may know the members and tokens of their account, but not the administrators. */
function shownCreator(
  { kind, name, isOfAccount }: TokenCreatorDetails,
  isOperator: boolean,
): Pick<TokenRow, 'makerKind' | 'makerName'> {
  if (isOperator || isOfAccount) return { makerKind: kind, makerName: name ?? null }
  return { makerKind: kind === 'user' ? 'operator' : kind, makerName: null }
}

function stateOf(token: AdminToken, { hasRight }: TokenCreatorDetails, nowMs: number): TokenState {
  if (token.revokedAtMs !== undefined) return 'revoked'
  if (isExpired(token, nowMs)) return 'expired'
  return hasRight ? 'active' : 'orphaned'
}
