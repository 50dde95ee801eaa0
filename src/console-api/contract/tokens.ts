import { z } from 'zod'
import type { tokenDefinition } from '../../admin-tokens/definition/token.ts'
import { adminScopes } from '../../core/admin-scope.ts'
import type { NewWireOf } from '../../fields/definition.ts'
import { list, page, timeMs } from './shapes.ts'

/** `orphaned`: whoever made the token has lost the right to it, so it is refused as long as that lasts. */
export const tokenState = z.enum(['active', 'expired', 'revoked', 'orphaned'])
export type TokenState = z.infer<typeof tokenState>

/** A token of the admin API as lists show it; the value is in no list. */
export const tokenRow = z.strictObject({
  id: z.string(),
  name: z.string(),
  state: tokenState,
  /** The beginning and the end of the value. */
  hint: z.string(),
  scopes: list(z.enum(adminScopes)),
  /** Null means the whole gateway. */
  accountId: z.string().nullable(),
  /** Null means from anywhere. */
  addresses: list(z.string()).nullable(),
  /** Null means never. */
  expiresAt: timeMs.nullable(),
  /** As an actor of the audit log. */
  madeBy: z.string(),
  /** `operator` for an owner who may not know which one. */
  makerKind: z.enum(['user', 'operator', 'token', 'command-line']),
  /** The email of a user, the name of a token; null when the caller may not know it, or the login is deleted. */
  makerName: z.string().nullable(),
  createdAt: timeMs,
  /** The last use, to the minute; null when there was none. */
  usedAt: timeMs.nullable(),
  usedAddress: z.string().nullable(),
  revokedAt: timeMs.nullable(),
})
export type TokenRow = z.infer<typeof tokenRow>

/** GET /tokens?account=&after= : the newest first, with those that are revoked or expired. */
export const tokensAnswer = z.strictObject({
  ...page.shape,
  tokens: list(tokenRow),
})
export type TokensAnswer = z.infer<typeof tokensAnswer>

/** POST /tokens → TokenWithValue */
export type CreateTokenRequest = NewWireOf<typeof tokenDefinition>

/** The value is in this answer and in no other. */
export const tokenWithValue = z.strictObject({
  token: tokenRow,
  value: z.string(),
})
export type TokenWithValue = z.infer<typeof tokenWithValue>

/** DELETE /tokens/{id} */
export const revokedTokens = z.strictObject({
  /** The token and those that it has made, as far as they were not revoked already. */
  revoked: list(z.string()),
})
export type RevokedTokens = z.infer<typeof revokedTokens>
