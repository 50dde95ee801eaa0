import { effectiveRole } from '../accounts/member-store.ts'
import { isInRange, parseAddressRange } from '../core/access/address-range.ts'
import type { Engine } from '../store/engine.ts'
import { fixedQuery } from '../store/rows/fixed-query.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { type AdminToken, isExpired, tokenColumns, tokenOfRow } from './admin-token.ts'
import { hashTokenValue, isTokenValue } from './token-value.ts'

/** The caller sees only the status. */
export type TokenVerdict =
  | { readonly isGood: true; readonly token: AdminToken }
  | { readonly isGood: false; readonly status: 401 | 403 }

export interface PresentedToken {
  readonly value: string
  /** The client's address. */
  readonly address: string
  readonly nowMs: number
}

const unknown: TokenVerdict = { isGood: false, status: 401 }
const elsewhere: TokenVerdict = { isGood: false, status: 403 }

const selectToken = fixedQuery((db, { valueHash }: { valueHash: string }) =>
  db
    .selectFrom('admin_token as t')
    .leftJoin('console_user as u', 'u.id', 't.maker_id')
    .leftJoin('membership as m', (join) =>
      join.onRef('m.user_id', '=', 't.maker_id').onRef('m.account_id', '=', 't.account_id'),
    )
    .select(tokenColumns.map((name) => `t.${name}` as const))
    .select(['u.role as user_role', 'u.suspended', 'u.invited_to', 'm.role as member_role'])
    .where('t.value_hash', '=', valueHash),
)

/**
 * Looks a token up by its value and checks its current rights. The same single statement runs for every well-formed
 * value, whether or not the token exists and whatever is wrong with it, so unknown, revoked, expired and orphaned
 * tokens are indistinguishable.
 */
export async function findToken(
  { db }: Pick<Engine, 'db'>,
  vault: Vault,
  { value, address, nowMs }: PresentedToken,
): Promise<TokenVerdict> {
  if (!isTokenValue(value)) return unknown
  const [row] = await selectToken(db, { valueHash: hashTokenValue(vault, value) })
  if (!row) return unknown
  const token = tokenOfRow(row)
  if (token.revokedAtMs !== undefined || isExpired(token, nowMs)) return unknown
  const creator = {
    role: row.user_role,
    suspended: row.suspended,
    invitedTo: row.invited_to,
    memberRole: row.member_role,
  }
  if (token.creatorId !== undefined && !mayHaveToken(creator, token.accountId)) return unknown
  return isAllowedFrom(token, address) ? { isGood: true, token } : elsewhere
}

interface TokenUser {
  /** Null when the user no longer exists. */
  readonly role: string | null
  readonly suspended: number | null
  readonly invitedTo: string | null
  /** The role in the token's account; null when the user is not a member. */
  readonly memberRole: string | null
}

/** Whether a user may have a token: an operator any token, an owner one for their account. */
export function mayHaveToken(creator: TokenUser, accountId: string | undefined): boolean {
  if (creator.role === null || creator.suspended !== 0) return false
  if (creator.role === 'admin' && creator.invitedTo === null) return true
  if (accountId === undefined || creator.memberRole === null) return false
  const membership = { account_id: accountId, role: creator.memberRole }
  return effectiveRole(membership, creator.invitedTo) === 'owner'
}

function isAllowedFrom({ addresses }: AdminToken, address: string): boolean {
  if (addresses === undefined) return true
  return addresses.some((text) => {
    const range = parseAddressRange(text)
    return range !== undefined && isInRange(address, range)
  })
}
