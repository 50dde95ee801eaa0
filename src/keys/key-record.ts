import { type AddressRange, parseAddressRange } from '../core/address-range.ts'
import { readJsonList } from '../store/json-list.ts'
import type { ApiKeyTable } from '../store/tables.ts'

/** A key as the request path sees it: its scopes, ready to be compared, and nothing secret. */
export interface KeyRecord {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** One entry is a fixed group, several are the automatic order. */
  readonly groups: readonly string[]
  /** Undefined means no restriction; an empty set allows nothing. */
  readonly models: ReadonlySet<string> | undefined
  readonly addresses: readonly AddressRange[] | undefined
  readonly expiresAtMs: number | undefined
  readonly isEnabled: boolean
}

export function readKeyRecord(row: ApiKeyTable): KeyRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    groups: readJsonList(row.groups),
    models: row.models === null ? undefined : new Set(readJsonList(row.models)),
    addresses: row.addresses === null ? undefined : readRanges(readJsonList(row.addresses)),
    expiresAtMs: row.expires_at ?? undefined,
    isEnabled: row.enabled === 1,
  }
}

/** A range that cannot be read matches nothing: the list stays a restriction. */
function readRanges(texts: readonly string[]): AddressRange[] {
  return texts.map(parseAddressRange).filter((range) => range !== undefined)
}
