import type { Change } from '../store/changes.ts'
import type { Engine } from '../store/engine.ts'
import { FollowedCache } from '../store/followed-cache.ts'
import { valuesOf } from '../store/kept-fields.ts'
import { keptSettings } from './kept-settings.ts'

/** An account as the request path uses it. */
export interface AccountRecord {
  readonly id: string
  readonly isSuspended: boolean
  readonly endsAtMs: number | undefined
}

const keptStanding = { status: keptSettings.status, endsAt: keptSettings.endsAt }
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
        .selectFrom('account')
        .select(['id', 'status', 'ends_at'])
        .where('id', '=', id)
        .executeTakeFirst()
      if (!row) return undefined
      const { status, endsAt } = valuesOf(keptStanding, row)
      return { id, isSuspended: status === 'suspended', endsAtMs: endsAt ?? undefined }
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
