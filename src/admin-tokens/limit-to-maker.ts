import {
  type AddressRange,
  isWithinRange,
  parseAddressRange,
} from '../core/access/address-range.ts'
import { coversScopes } from '../core/access/admin-scope.ts'
import type { AdminToken } from './admin-token.ts'
import type { TokenSettings } from './definition/token.ts'

/** Why a token is not created. The field is a member of the settings; undefined when the problem is the maker. */
export type TokenProblem =
  | 'expiry_past'
  | 'account_unknown'
  | 'tokens_many'
  /** An owner creates tokens only for their own account. */
  | 'account_not_owned'
  /** The maker is deleted, suspended, revoked or expired. */
  | 'maker_gone'
  /** A token needs the scope `all` to create tokens. */
  | 'maker_scope'
  /** The requested rights exceed the rights of the token that creates it. */
  | 'beyond_maker'

export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
  readonly problem: TokenProblem
  readonly field: keyof TokenSettings | undefined

  constructor(problem: TokenProblem, field?: keyof TokenSettings) {
    super(`a token is not made: ${problem}${field === undefined ? '' : ` (${field})`}`)
    this.problem = problem
    this.field = field
  }
}

/**
 * The settings of a token that another token creates. Absent settings are inherited from the maker, and given settings
 * must not exceed the maker's. Throws `TokenRefused`.
 */
export function limitToMaker(maker: AdminToken, requested: TokenSettings): TokenSettings {
  if (!maker.scopes.includes('all')) throw new TokenRefused('maker_scope')
  if (!coversScopes(maker.scopes, requested.scopes))
    throw new TokenRefused('beyond_maker', 'scopes')
  const accountId = requested.accountId ?? maker.accountId ?? null
  if (maker.accountId !== undefined && accountId !== maker.accountId) {
    throw new TokenRefused('beyond_maker', 'accountId')
  }
  const expiresAt = requested.expiresAt ?? maker.expiresAtMs ?? null
  if (maker.expiresAtMs !== undefined && (expiresAt ?? Infinity) > maker.expiresAtMs) {
    throw new TokenRefused('beyond_maker', 'expiresAt')
  }
  const addresses = requested.addresses ?? maker.addresses ?? null
  if (maker.addresses !== undefined && !areWithin(maker.addresses, addresses ?? [])) {
    throw new TokenRefused('beyond_maker', 'addresses')
  }
  return { ...requested, accountId, expiresAt, addresses }
}

function areWithin(outer: readonly string[], inner: readonly string[]): boolean {
  const ranges = outer.flatMap((text) => parseAddressRange(text) ?? [])
  const isIn = (range: AddressRange | undefined) =>
    range !== undefined && ranges.some((each) => isWithinRange(each, range))
  return inner.every((text) => isIn(parseAddressRange(text)))
}
