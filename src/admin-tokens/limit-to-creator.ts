import {
  type AddressRange,
  isWithinRange,
  parseAddressRange,
} from '../core/access/address-range.ts'
import { coversScopes } from '../core/access/admin-scope.ts'
import type { AdminToken } from './admin-token.ts'
import type { TokenSettings } from './definition/token.ts'

/** Why a token is not created. The field is a member of the settings; undefined when the problem is the creator. */
export type TokenProblem =
  | 'expiry_past'
  | 'account_unknown'
  | 'tokens_many'
  /** An owner creates tokens only for their own account. */
  | 'account_not_owned'
  /** The creator is deleted, suspended, revoked or expired. */
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
 * The settings of a token that another token creates. Absent settings are inherited from the creator, and given
 * settings must not exceed the creator's. Throws `TokenRefused`.
 */
export function limitToCreator(creator: AdminToken, requested: TokenSettings): TokenSettings {
  if (!creator.scopes.includes('all')) throw new TokenRefused('maker_scope')
  if (!coversScopes(creator.scopes, requested.scopes))
    throw new TokenRefused('beyond_maker', 'scopes')
  const accountId = requested.accountId ?? creator.accountId ?? null
  if (creator.accountId !== undefined && accountId !== creator.accountId) {
    throw new TokenRefused('beyond_maker', 'accountId')
  }
  const expiresAt = requested.expiresAt ?? creator.expiresAtMs ?? null
  if (creator.expiresAtMs !== undefined && (expiresAt ?? Infinity) > creator.expiresAtMs) {
    throw new TokenRefused('beyond_maker', 'expiresAt')
  }
  const addresses = requested.addresses ?? creator.addresses ?? null
  if (creator.addresses !== undefined && !areWithin(creator.addresses, addresses ?? [])) {
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
