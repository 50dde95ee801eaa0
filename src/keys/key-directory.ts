import { sql } from 'kysely'
import type { Change } from '../store/changes/changes.ts'
import { FollowedCache } from '../store/changes/followed-cache.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { keysWithOwners } from './key-owner.ts'
import { type KeyRecord, readKeyRecord } from './key-record.ts'
import { isImportableKeyValue, isMintedKeyValue } from './key-value.ts'

export const keyDirectoryLimits = {
  entriesMax: 200_000,
  lookupsMax: 256,
  preloadedMax: 10_000,
  recentMax: 4_096,
}

/** Finds keys by value in memory, and follows changes in the database. */
export interface KeyDirectory {
  find(value: string): KeyRecord | undefined | Promise<KeyRecord | undefined>
  apply(changes: readonly Change[]): Promise<void>
}

export async function openKeyDirectory(
  engine: Engine,
  vault: Vault,
  limits = keyDirectoryLimits,
): Promise<KeyDirectory> {
  const byHash = new FollowedCache<KeyRecord>({
    ...limits,
    load: async (hash) => {
      const row = await keysWithOwners(engine.db).where('value_hash', '=', hash).executeTakeFirst()
      return row && readKeyRecord(row)
    },
  })
  /** Keys in use, so that their values are not hashed for every request. Any change to any key clears the whole map. */
  const recent = new Map<string, KeyRecord>()
  const recentRows = keysWithOwners(engine.db).limit(limits.preloadedMax)
  const [isImported, first] = await Promise.all([hasImportedKeys(engine), recentRows.execute()])
  let hasImported = isImported
  for (const row of first) byHash.set(row.value_hash, readKeyRecord(row))

  return {
    find: (value) => {
      const recently = recent.get(value)
      if (recently) return recently
      const hash = vault.lookupHash(value)
      const known = byHash.peek(hash)
      if (known) {
        if (recent.size >= limits.recentMax) recent.clear()
        recent.set(value, known)
        return known
      }
      // A value without a checksum can only be an imported key; most gateways have none.
      const isPlausible = isMintedKeyValue(value) || (hasImported && isImportableKeyValue(value))
      return isPlausible ? byHash.get(hash) : undefined
    },
    apply: async (changes) => {
      const changed = new Set(
        changes.filter((each) => each.topic === 'key').map((each) => each.subject),
      )
      if (changed.size === 0) return
      // A value that was cached as absent may exist now. No request waits for the database with the former record.
      byHash.forget((record) => record === undefined || changed.has(record.id))
      recent.clear()
      hasImported = await hasImportedKeys(engine)
    },
  }
}

async function hasImportedKeys(engine: Engine): Promise<boolean> {
  const row = await engine.db
    .selectFrom('api_key')
    .select('id')
    // A literal instead of a parameter: otherwise the partial index of imported keys is not used.
    .where('imported', '=', sql.lit(1))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
