import type { Selectable } from 'kysely'
import { type AddressRange, parseAddressRange } from '../core/access/address-range.ts'
import { idWithin, type OwnedLimits, ownedLimits } from '../core/limits/rate-limit.ts'
import type { Priority } from '../core/upstreams/priority.ts'
import { readJsonList } from '../store/rows/json-list.ts'
import { limitColumns, valuesOf } from '../store/rows/stored-fields.ts'
import type { ApiKeyTable } from '../store/tables/key-tables.ts'
import { settingColumns } from './setting-columns.ts'

type KeyRow = Selectable<ApiKeyTable>

/** A key as the request path uses it: parsed restrictions and no secret. */
export interface KeyRecord {
  readonly id: string
  readonly accountId: string
  /** The user that the key belongs to; undefined for a service key. */
  readonly ownerUserId: string | undefined
  readonly name: string
  /** One entry is a fixed group; several entries are tried in this order. */
  readonly groups: readonly string[]
  /** Undefined means no restriction; an empty set allows no model. */
  readonly models: ReadonlySet<string> | undefined
  readonly addresses: readonly AddressRange[] | undefined
  readonly expiresAtMs: number | undefined
  /** Enabled, and the owner may use the key. */
  readonly isEnabled: boolean
  readonly limits: OwnedLimits | undefined
  /** The limits for single models; undefined means none. */
  readonly modelLimits: ReadonlyMap<string, OwnedLimits> | undefined
  /** The limits of the user that the key belongs to, in the account of the key. */
  readonly memberLimits: OwnedLimits | undefined
  /** The class of waiting requests; undefined means that of the group. */
  readonly priority: Priority | undefined
  /** Whether the caller may learn the balance of the account; see `key-owner.ts`. */
  readonly seesBalance: boolean
}

/** The facts that depend on the owner of a key; see `key-owner.ts`. */
interface OwnerColumns {
  readonly running: number
  readonly sees_balance: number
  readonly member_requests_per_minute: number | null
  readonly member_tokens_per_minute: number | null
  readonly member_concurrent_requests: number | null
}

export function readKeyRecord(row: KeyRow & OwnerColumns): KeyRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    ownerUserId: row.owner_user_id ?? undefined,
    name: row.name,
    groups: readJsonList(row.groups),
    models: row.models === null ? undefined : new Set(readJsonList(row.models)),
    addresses: row.addresses === null ? undefined : readRanges(readJsonList(row.addresses)),
    expiresAtMs: row.expires_at ?? undefined,
    isEnabled: row.enabled === 1 && row.running === 1,
    seesBalance: row.sees_balance === 1,
    limits: ownedLimits('key', row.id, valuesOf(limitColumns, row)),
    modelLimits: readModelLimits(row),
    priority: settingColumns.priority.read(row.priority) ?? undefined,
    memberLimits: readMemberLimits(row),
  }
}

function readMemberLimits(row: KeyRow & OwnerColumns): OwnedLimits | undefined {
  return ownedLimits('member', `${row.account_id}:${row.owner_user_id}`, {
    requestsPerMinute: row.member_requests_per_minute,
    tokensPerMinute: row.member_tokens_per_minute,
    concurrentRequests: row.member_concurrent_requests,
  })
}

function readModelLimits({
  id,
  model_limits: text,
}: KeyRow): ReadonlyMap<string, OwnedLimits> | undefined {
  if (text === null) return undefined
  const found = settingColumns.modelLimits.read(text).flatMap(({ model, ...values }) => {
    const limits = ownedLimits('key_model', idWithin(id, model), values)
    return limits ? [[model, limits] as const] : []
  })
  return found.length === 0 ? undefined : new Map(found)
}

/** An unreadable range matches no address, so the list still restricts the key. */
function readRanges(texts: readonly string[]): AddressRange[] {
  return texts.map(parseAddressRange).filter((range) => range !== undefined)
}
