import { type AddressRange, isWithinRange, parseAddressRange } from '../core/address-range.ts'
import { coversScopes } from '../core/admin-scope.ts'
import type { AdminToken } from './admin-token.ts'
import type { TokenSettings } from './definition/token.ts'

/** Why a token is not made. The field is a member of the settings; undefined when it is about the maker. */
export type TokenProblem =
  | 'expiry_past'
  | 'account_unknown'
  | 'tokens_many'
  /** An owner makes tokens for an account of their own. */
  | 'account_not_owned'
  /** The maker is gone, suspended, revoked or expired. */
  | 'maker_gone'
  /** A token makes tokens only with the scope `all`. */
  | 'maker_scope'
  /** The wish goes beyond what the token that makes it may do. */
  | 'beyond_maker'

export class TokenNotMade extends Error {
  override readonly name = 'TokenNotMade'
  readonly problem: TokenProblem
  readonly field: keyof TokenSettings | undefined

  constructor(problem: TokenProblem, field?: keyof TokenSettings) {
    super(`a token is not made: ${problem}${field === undefined ? '' : ` (${field})`}`)
    this.problem = problem
    this.field = field
  }
}

/**
 * What a token may have that another one makes: what is not said is what the maker has, and what is said must not be
 * more. Throws `TokenNotMade`.
 */
export function limitToMaker(maker: AdminToken, wish: TokenSettings): TokenSettings {
  if (!maker.scopes.includes('all')) throw new TokenNotMade('maker_scope')
  if (!coversScopes(maker.scopes, wish.scopes)) throw new TokenNotMade('beyond_maker', 'scopes')
  const accountId = wish.accountId ?? maker.accountId ?? null
  if (maker.accountId !== undefined && accountId !== maker.accountId) {
    throw new TokenNotMade('beyond_maker', 'accountId')
  }
  const expiresAt = wish.expiresAt ?? maker.expiresAtMs ?? null
  if (maker.expiresAtMs !== undefined && (expiresAt ?? Infinity) > maker.expiresAtMs) {
    throw new TokenNotMade('beyond_maker', 'expiresAt')
  }
  const addresses = wish.addresses ?? maker.addresses ?? null
  if (maker.addresses !== undefined && !areWithin(maker.addresses, addresses ?? [])) {
    throw new TokenNotMade('beyond_maker', 'addresses')
  }
  return { ...wish, accountId, expiresAt, addresses }
}

function areWithin(outer: readonly string[], inner: readonly string[]): boolean {
  const ranges = outer.flatMap((text) => parseAddressRange(text) ?? [])
  const isIn = (range: AddressRange | undefined) =>
    range !== undefined && ranges.some((each) => isWithinRange(each, range))
  return inner.every((text) => isIn(parseAddressRange(text)))
}
