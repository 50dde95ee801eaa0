import { z } from 'zod'
import type { tokenDefinition } from '../../admin-tokens/definition/token.ts'
import { adminScopes } from '../../core/access/admin-scope.ts'
import type { NewWireOf } from '../../fields/definition.ts'
import { list, page, timeMs } from './shapes.ts'

/** `orphaned`: the creator has lost the permission, so the token is refused as long as that lasts. */
export const tokenState = z.enum(['active', 'expired', 'revoked', 'orphaned'])
export type TokenState = z.infer<typeof tokenState>

/** A token of the admin API without its value. */
export const tokenRow = z.strictObject({
  id: z.string(),
  name: z.string(),
  state: tokenState,
  /** The beginning and the end of the value. */
  hint: z.string(),
  scopes: list(z.enum(adminScopes)),
  /** Null means the whole gateway. */
  accountId: z.string().nullable(),
  /** Null means any address. */
  addresses: list(z.string()).nullable(),
  /** Null means never. */
  expiresAt: timeMs.nullable(),
  /** An actor as in the audit log. */
  madeBy: z.string(),
  /** `operator` if the caller may not know which administrator. */
  makerKind: z.enum(['user', 'operator', 'token', 'command-line']),
  /** The email of a user or the name of a token; null if the caller may not know it or the user was deleted. */
  makerName: z.string().nullable(),
  createdAt: timeMs,
  /** The last use, to the minute; null if never used. */
  usedAt: timeMs.nullable(),
  usedAddress: z.string().nullable(),
  revokedAt: timeMs.nullable(),
})
export type TokenRow = z.infer<typeof tokenRow>

/** GET /tokens?account=&after= : newest first, including revoked and expired ones. */
export const tokensAnswer = z.strictObject({
  ...page.shape,
  tokens: list(tokenRow),
})
export type TokensAnswer = z.infer<typeof tokensAnswer>

/** POST /tokens → TokenWithValue */
export type CreateTokenRequest = NewWireOf<typeof tokenDefinition>

/** The only response with the value. */
export const tokenWithValue = z.strictObject({
  token: tokenRow,
  value: z.string(),
})
export type TokenWithValue = z.infer<typeof tokenWithValue>

/** DELETE /tokens/{id} */
export const revokedTokens = z.strictObject({
  /** The token and the tokens that it created, except those that were already revoked. */
  revoked: list(z.string()),
})
export type RevokedTokens = z.infer<typeof revokedTokens>
