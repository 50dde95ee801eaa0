import { type KeyListing, listKeys } from '../../keys/key-list.ts'
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
  const next = found.length > pageRows ? (page.at(-1)?.id ?? null) : null
  return { body: { keys: page.map((key) => describeKey(key, nowMs)), next } }
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
