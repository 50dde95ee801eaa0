import { type AdminToken, isExpired } from '../../../admin-tokens/admin-token.ts'
import { auditedToken } from '../../../admin-tokens/audited-token.ts'
import { findMakers, type TokenMakerDetails } from '../../../admin-tokens/token-makers.ts'
import type { Engine } from '../../../store/engine.ts'
import type { TokenRow, TokenState } from '../../contract.ts'
import type { SignedInCall } from '../../routes/route.ts'

/** Tokens with their settings and state. */
export async function describeTokens(
  db: Engine['db'],
  tokens: readonly AdminToken[],
  { deps, session }: Pick<SignedInCall, 'deps' | 'session'>,
): Promise<TokenRow[]> {
  const makers = await findMakers(db, tokens)
  const nowMs = deps.clock.nowMs()
  return tokens.map((token) => {
    const maker = makers.get(token.id)
    // Rows of this table are never deleted.
    if (!maker) throw new Error(`the token ${token.id} is gone`)
    return {
      id: token.id,
      ...auditedToken(token),
      state: stateOf(token, maker, nowMs),
      hint: token.hint,
      madeBy: token.madeBy,
      ...shownMaker(maker, session.isAdmin),
      createdAt: token.createdAtMs,
      usedAt: token.usedAtMs ?? null,
      usedAddress: token.usedAddress ?? null,
      revokedAt: token.revokedAtMs ?? null,
    }
  })
}

/** Owners may know the members and tokens of their account, but not the administrators. */
function shownMaker(
  { kind, name, isOfAccount }: TokenMakerDetails,
  isOperator: boolean,
): Pick<TokenRow, 'makerKind' | 'makerName'> {
  if (isOperator || isOfAccount) return { makerKind: kind, makerName: name ?? null }
  return { makerKind: kind === 'user' ? 'operator' : kind, makerName: null }
}

function stateOf(token: AdminToken, { hasRight }: TokenMakerDetails, nowMs: number): TokenState {
  if (token.revokedAtMs !== undefined) return 'revoked'
  if (isExpired(token, nowMs)) return 'expired'
  return hasRight ? 'active' : 'orphaned'
}
