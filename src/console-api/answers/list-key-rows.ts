import { sql } from 'kysely'
import { type KeyListing, listKeys } from '../../keys/key-list.ts'
import type { Engine } from '../../store/engine.ts'
import type { KeyRow, KeyState, KeysAnswer } from '../contract.ts'
import type { Answer, SignedInCall } from '../route.ts'

const pageRows = 50

export async function listKeyRows({
  parts,
  query,
  scope,
}: SignedInCall): Promise<Answer<KeysAnswer>> {
  const { accountIds } = scope
  if (accountIds?.length === 0) return { body: { keys: [], next: null } }
  const afterId = query.get('after') ?? undefined
  // One row more than a page has: it is not shown, it only tells that there is a next page.
  const found = await listKeys(parts.engine, { accountIds, afterId, rowsMax: pageRows + 1 })
  const page = found.slice(0, pageRows)
  const nowMs = parts.clock.nowMs()
  const leased = await spentInLeases(parts.engine, page)
  const keys = page.map((key) => {
    const spentNano = key.spentNano + (leased.get(key.id) ?? 0n)
    return describeKey({ ...key, spentNano }, nowMs)
  })
  const next = found.length > pageRows ? (page.at(-1)?.id ?? null) : null
  return { body: { keys, next } }
}

/** What open leases have spent already: the key's own record learns of it only when they are closed. */
async function spentInLeases(
  engine: Engine,
  keys: readonly KeyListing[],
): Promise<ReadonlyMap<string, bigint>> {
  if (keys.length === 0) return new Map()
  const ids = keys.map((key) => key.id)
  const rows = await engine.db
    .selectFrom('lease')
    .select(['key_id', sql<bigint>`CAST(SUM(used_nano) AS BIGINT)`.as('used_nano')])
    .where('key_id', 'in', ids)
    .groupBy('key_id')
    .execute()
  return new Map(rows.map((row) => [row.key_id, row.used_nano]))
}

function describeKey(key: KeyListing, nowMs: number): KeyRow {
  return {
    id: key.id,
    accountId: key.accountId,
    name: key.name,
    state: keyState(key, nowMs),
    hint: key.hint,
    groups: key.groups,
    models: key.models ?? null,
    addresses: key.addresses ?? null,
    quotaNano: key.quotaNano === undefined ? null : String(key.quotaNano),
    spentNano: String(key.spentNano),
    expiresAt: key.expiresAtMs ?? null,
  }
}

function keyState(key: KeyListing, nowMs: number): KeyState {
  if (!key.isEnabled) return 'disabled'
  if (key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs) return 'expired'
  return key.quotaNano !== undefined && key.spentNano >= key.quotaNano ? 'exhausted' : 'active'
}
