import { type OwnedLimits, ownedLimits } from '../core/limits/rate-limit.ts'
import type { Change } from '../store/changes/changes.ts'
import { FollowedCache } from '../store/changes/followed-cache.ts'
import type { Engine } from '../store/engine.ts'
import { readJsonList } from '../store/rows/json-list.ts'
import { limitColumns, valuesOf } from '../store/rows/stored-fields.ts'
import { settingColumns } from './setting-columns.ts'

/** An account as the request path uses it. */
export interface AccountRecord {
  readonly id: string
  readonly isSuspended: boolean
  readonly endsAtMs: number | undefined
  readonly limits: OwnedLimits | undefined
  /** The keys whose requests the account records; undefined: none. */
  readonly recordedKeys: ReadonlySet<string> | 'all' | undefined
}

const keptStanding = {
  status: settingColumns.status,
  endsAt: settingColumns.endsAt,
  ...limitColumns,
}
const limits = { entriesMax: 100_000, lookupsMax: 256 }

export interface AccountDirectory {
  find(id: string): AccountRecord | undefined | Promise<AccountRecord | undefined>
  apply(changes: readonly Change[]): Promise<void>
}

export function openAccountDirectory(engine: Engine): AccountDirectory {
  const byId = new FollowedCache<AccountRecord>({
    ...limits,
    load: async (id) => {
      const row = await engine.db
        .selectFrom('account as a')
        .leftJoin('recording_policy as p', 'p.account_id', 'a.id')
        .select(['a.id', 'a.status', 'a.ends_at', 'p.scope', 'p.key_ids'])
        .select(['requests_per_minute', 'tokens_per_minute', 'concurrent_requests'])
        .where('a.id', '=', id)
        .executeTakeFirst()
      if (!row) return undefined
      const { status, endsAt, ...values } = valuesOf(keptStanding, row)
      return {
        id,
        isSuspended: status === 'suspended',
        endsAtMs: endsAt ?? undefined,
        limits: ownedLimits('account', id, values),
        recordedKeys: recordedKeysOf(row),
      }
    },
  })
  return {
    find: (id) => byId.get(id),
    apply: async (changes) => {
      const changed = new Set(
        changes.filter((each) => each.topic === 'account').map((each) => each.subject),
      )
      if (changed.size > 0) byId.forget((_, id) => changed.has(id))
    },
  }
}

/** An unknown value, written by a later version, records nothing. */
function recordedKeysOf({
  scope,
  key_ids: keyIds,
}: {
  readonly scope: string | null
  readonly key_ids: string | null
}): AccountRecord['recordedKeys'] {
  if (scope === 'all') return 'all'
  return scope === 'keys' && keyIds !== null ? new Set(readJsonList(keyIds)) : undefined
}
