import type { Selectable } from 'kysely'
import { type AdminScope, adminScopes, type TokenRights } from '../core/access/admin-scope.ts'
import { readJsonList } from '../store/rows/json-list.ts'
import type { AdminTokenTable } from '../store/tables/admin-tables.ts'

/** A token as lists show it, without its value and its hash. */
export interface AdminToken extends TokenRights {
  readonly id: string
  readonly name: string
  readonly hint: string
  readonly addresses: readonly string[] | undefined
  readonly expiresAtMs: number | undefined
  /** An actor of the audit log. */
  readonly madeBy: string
  /** The user whose current rights limit the token; undefined for a token made on the command line. */
  readonly creatorId: string | undefined
  readonly parentId: string | undefined
  readonly createdAtMs: number
  readonly usedAtMs: number | undefined
  readonly usedAddress: string | undefined
  readonly revokedAtMs: number | undefined
}

type TokenRow = Omit<Selectable<AdminTokenTable>, 'value_hash'>

export const tokenColumns = [
  'id',
  'name',
  'value_hint',
  'scopes',
  'account_id',
  'addresses',
  'expires_at',
  'made_by',
  'maker_id',
  'parent_id',
  'created_at',
  'used_at',
  'used_address',
  'revoked_at',
] as const satisfies readonly (keyof TokenRow)[]

export function tokenOfRow(row: TokenRow): AdminToken {
  return {
    id: row.id,
    name: row.name,
    hint: row.value_hint,
    scopes: readScopes(row.scopes),
    accountId: row.account_id ?? undefined,
    addresses: row.addresses === null ? undefined : readJsonList(row.addresses),
    expiresAtMs: row.expires_at ?? undefined,
    madeBy: row.made_by,
    creatorId: row.maker_id ?? undefined,
    parentId: row.parent_id ?? undefined,
    createdAtMs: row.created_at,
    usedAtMs: row.used_at ?? undefined,
    usedAddress: row.used_address ?? undefined,
    revokedAtMs: row.revoked_at ?? undefined,
  }
}

/** Scopes that this version does not know grant nothing. */
function readScopes(json: string): AdminScope[] {
  const stored = new Set(readJsonList(json))
  return adminScopes.filter((scope) => stored.has(scope))
}

export function isExpired({ expiresAtMs }: AdminToken, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs
}
