import type { AdminToken } from '../../../admin-tokens/admin-token.ts'
import { auditedToken } from '../../../admin-tokens/audited-token.ts'
import { TokenNotMade } from '../../../admin-tokens/limit-wish.ts'
import type { TokenSettings } from '../../../admin-tokens/token-definition.ts'
import {
  createToken,
  listTokens,
  liveTokensMax,
  readToken,
  revokeToken,
  type TokenMaker,
} from '../../../admin-tokens/token-store.ts'
import { tokenOfActor } from '../../../admin-tokens/token-value.ts'
import { change } from '../../change.ts'
import { pageOf } from '../../pages.ts'
import { Refusal, refuse, unfitField } from '../../refusal.ts'
import type { Scope, SignedInCall } from '../../route.ts'

type Call = Pick<SignedInCall, 'parts' | 'session' | 'scope'>

const pageRows = 50

/** A token as the APIs show it: what was decided about it, and what has become of it. */
function describeToken(token: AdminToken) {
  return {
    id: token.id,
    ...auditedToken(token),
    hint: token.hint,
    madeBy: token.madeBy,
    createdAt: token.createdAtMs,
    usedAt: token.usedAtMs ?? null,
    usedAddress: token.usedAddress ?? null,
    revokedAt: token.revokedAtMs ?? null,
  }
}

/** A page of the tokens that the caller may see, newest first. */
export async function listTokenRows({ parts, scope }: Call, afterId: string | undefined) {
  const page = { accountIds: scope.accountIds, afterId, rowsMax: pageRows + 1 }
  const { rows, next } = pageOf(
    await listTokens(parts.engine.db, page),
    pageRows,
    (token) => token.id,
  )
  return { tokens: rows.map(describeToken), next }
}

/** Makes a token for whoever is signed in, a person or a token. The value is in this answer and nowhere else. */
export async function makeToken({ parts, session }: Call, wish: TokenSettings) {
  const { vault, random } = parts
  try {
    return await change({ parts, session }, async (changing) => {
      const tools = { vault, random, nowMs: changing.nowMs }
      const { token, value } = await createToken(changing, tools, wish, makerOf(session.userId))
      const after = auditedToken(token)
      await changing.record({ action: 'token.created', subject: token.id, after })
      return { token: describeToken(token), value }
    })
  } catch (error) {
    throw error instanceof TokenNotMade ? explain(error, wish) : error
  }
}

function makerOf(actor: string): TokenMaker {
  const tokenId = tokenOfActor(actor)
  return tokenId === undefined ? { kind: 'user', userId: actor } : { kind: 'token', tokenId }
}

/** Ends a token that the caller may see, with all that it has made. Asked again, nothing more happens. */
export async function endToken({ parts, session, scope }: Call, id: string) {
  return change({ parts, session }, async (changing) => {
    const token = await readToken(changing.tx, id)
    if (!token || !isVisible(token, scope)) {
      throw new Refusal('not_found', 'There is no such token.')
    }
    const revoked = await revokeToken(changing, id, changing.nowMs)
    for (const subject of revoked) await changing.record({ action: 'token.revoked', subject })
    return { revoked }
  })
}

function isVisible({ accountId }: AdminToken, { accountIds }: Scope): boolean {
  if (accountIds === undefined) return true
  return accountId !== undefined && accountIds.includes(accountId)
}

function explain({ problem, field = 'name' }: TokenNotMade, wish: TokenSettings): Refusal {
  switch (problem) {
    case 'expiry_past':
      return unfitField(field, 'expiry_past')
    case 'account_unknown':
      return unfitField(field, 'account_unknown', { id: wish.accountId ?? '' })
    case 'account_not_owned':
      return unfitField(field, 'account_not_owned')
    case 'beyond_maker':
      return unfitField(field, 'beyond_maker')
    case 'tokens_many':
      return refuse('conflict', 'tokens_many', { values: { max: liveTokensMax } })
    case 'maker_scope':
      return new Refusal('scope_missing', 'Only a token with the scope all makes tokens.')
    case 'maker_gone':
      return new Refusal('not_allowed', 'Whoever makes this token may not act any more.')
  }
}
