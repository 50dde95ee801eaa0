import type { AdminToken } from '../../../admin-tokens/admin-token.ts'
import { auditedToken } from '../../../admin-tokens/audited-token.ts'
import type { TokenSettings } from '../../../admin-tokens/definition/token.ts'
import { TokenRefused } from '../../../admin-tokens/limit-to-creator.ts'
import {
  createToken,
  listTokens,
  liveTokensMax,
  readToken,
  revokeToken,
  type TokenCreator,
} from '../../../admin-tokens/token-store.ts'
import { tokenOfActor } from '../../../admin-tokens/token-value.ts'
import { cliActor } from '../../../core/access/cli-actor.ts'
import type { Engine } from '../../../store/engine.ts'
import { change } from '../../changes/change.ts'
import { pageRows, writeCursor } from '../../contract/paging.ts'
import type { RevokedTokens, TokenRow, TokensAnswer, TokenWithValue } from '../../contract.ts'
import { ApiRefusal, refuse, unfitField } from '../../refusal.ts'
import type { CallOf, JsonAnswer, Scope, SignedInCall } from '../../routes/route.ts'
import { pageOf } from '../../rows/pages.ts'
import { describeTokens } from './describe-tokens.ts'

type Call = Pick<SignedInCall, 'deps' | 'session' | 'scope'>
type ListCall = Call & Pick<CallOf<'GET /tokens'>, 'query'>
type CreateCall = Call & Pick<CallOf<'POST /tokens'>, 'body'>
type ReadCall = Call & Pick<CallOf<'GET /tokens/{id}'>, 'id'>
type RevokeCall = Call & Pick<CallOf<'DELETE /tokens/{id}'>, 'id'>

/** Tokens that the caller may see, newest first. */
export async function listTokenRows(call: ListCall): Promise<JsonAnswer<TokensAnswer>> {
  const { db } = call.deps.engine
  const { accountIds } = call.scope
  const { after, limit: rowsMax = pageRows.tokens } = call.query
  const found = await listTokens(db, {
    accountIds,
    after: after && { createdAtMs: after[0], id: after[1] },
    rowsMax: rowsMax + 1,
  })
  const { rows, next } = pageOf(found, rowsMax, ({ createdAtMs, id }) =>
    writeCursor(createdAtMs, id),
  )
  return { body: { tokens: await describeTokens(db, rows, call), next } }
}

export async function readTokenRow(call: ReadCall): Promise<JsonAnswer<TokenRow>> {
  const { db } = call.deps.engine
  return { body: await rowOf(db, await needToken(db, call), call) }
}

/** Creates a token for the caller, a user or a token. Only this response has the value. */
export async function createTokenRow(call: CreateCall): Promise<JsonAnswer<TokenWithValue>> {
  const { vault, random } = call.deps
  const body = await call.body()
  try {
    return await change(call, async (changing) => {
      const { tx, nowMs } = changing
      const tools = { vault, random, nowMs }
      const creator = creatorOf(call.session.userId)
      const { token, value } = await createToken(changing, tools, body, creator)
      // Absent settings are inherited from the creator, so the resulting token is checked, not the request.
      if (!isVisible(token, call.scope)) {
        throw new TokenRefused('account_not_owned', 'accountId')
      }
      const after = auditedToken(token)
      await changing.record({ action: 'token.created', subject: token.id, after })
      return { body: { token: await rowOf(tx, token, call), value } }
    })
  } catch (error) {
    throw error instanceof TokenRefused ? explain(error, body) : error
  }
}

function creatorOf(actor: string): TokenCreator {
  if (actor === cliActor) return { kind: 'command-line', actor }
  const tokenId = tokenOfActor(actor)
  return tokenId === undefined ? { kind: 'user', userId: actor } : { kind: 'token', tokenId }
}

/** Revokes a visible token and all tokens that it created. A repeated call has no further effect. */
export async function revokeTokenRow(call: RevokeCall): Promise<JsonAnswer<RevokedTokens>> {
  const { id } = call
  const revoked = await change(call, async (changing) => {
    await needToken(changing.tx, call)
    const ended = await revokeToken(changing, id, changing.nowMs)
    for (const subject of ended) await changing.record({ action: 'token.revoked', subject })
    return ended
  })
  return { body: { revoked } }
}

/** A token outside the caller's accounts does not exist for the caller. */
async function needToken(
  db: Engine['db'],
  { id, scope }: { readonly id: string; readonly scope: Scope },
): Promise<AdminToken> {
  const token = await readToken(db, id)
  if (token && isVisible(token, scope)) return token
  throw new ApiRefusal('not_found', 'This token does not exist.')
}

async function rowOf(db: Engine['db'], token: AdminToken, call: Call): Promise<TokenRow> {
  const [row] = await describeTokens(db, [token], call)
  if (!row) throw new Error('a token that was read is described')
  return row
}

function isVisible({ accountId }: AdminToken, { accountIds }: Scope): boolean {
  if (accountIds === undefined) return true
  return accountId !== undefined && accountIds.includes(accountId)
}

function explain({ problem, field = 'name' }: TokenRefused, body: TokenSettings): ApiRefusal {
  switch (problem) {
    case 'expiry_past':
      return unfitField(field, 'expiry_past')
    case 'account_unknown':
      return unfitField(field, 'account_unknown', { id: body.accountId ?? '' })
    case 'account_not_owned':
      return unfitField(field, 'account_not_owned')
    case 'beyond_maker':
      return unfitField(field, 'beyond_maker')
    case 'tokens_many':
      return refuse('conflict', 'tokens_many', { values: { max: liveTokensMax } })
    case 'maker_scope':
      return new ApiRefusal('scope_missing', 'Only a token with the scope all can create tokens.')
    case 'maker_gone':
      return new ApiRefusal('not_allowed', 'The creator of this token no longer has access.')
  }
}
