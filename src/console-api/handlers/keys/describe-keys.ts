import { sql } from 'kysely'
import { toWire } from '../../../fields/definition.ts'
import { keyDefinition } from '../../../keys/definition/key.ts'
import type { KeyListing } from '../../../keys/key-list.ts'
import { findKey } from '../../../keys/key-list.ts'
import type { Engine } from '../../../store/engine.ts'
import type { BudgetState, KeyRow, KeyState } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import { describeBudgets } from '../describe-budgets.ts'

/** Keys as the console shows them. */
export async function describeKeys(
  engine: Engine,
  keys: readonly KeyListing[],
  nowMs: number,
): Promise<KeyRow[]> {
  if (keys.length === 0) return []
  const ids = keys.map((key) => key.id)
  const owners = keys.map((settings) => {
    const { id, accountId } = settings
    return { owner: { kind: 'key', accountId, id } as const, settings }
  })
  const [leased, lastUsed, emails, budgets] = await Promise.all([
    spentInLeases(engine, ids),
    lastUses(engine, ids),
    ownerEmails(engine, keys),
    describeBudgets(engine, owners),
  ])
  return keys.map((key, at) => {
    const spentNano = key.spentNano + (leased.get(key.id) ?? 0n)
    const ownerEmail = key.ownerId === null ? null : (emails.get(key.ownerId) ?? null)
    const lastUsedAt = lastUsed.get(key.id) ?? null
    const facts = { lastUsedAt, ownerEmail, budgets: budgets[at] ?? [] }
    return describeKey({ ...key, spentNano }, facts, nowMs)
  })
}

export async function describeKeyOf(engine: Engine, id: string, nowMs: number): Promise<KeyRow> {
  const key = await findKey(engine.db, id)
  const [row] = key ? await describeKeys(engine, [key], nowMs) : []
  if (!row) throw new ApiRefusal('not_found', 'This key does not exist.')
  return row
}

/** The amounts that open leases have spent: the row of the key contains them only after the leases are closed. */
async function spentInLeases(
  { db }: Engine,
  ids: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await db
    .selectFrom('lease')
    .select(['key_id', sql<bigint>`CAST(SUM(used_nano) AS BIGINT)`.as('used_nano')])
    .where('key_id', 'in', ids)
    .groupBy('key_id')
    .execute()
  return new Map(rows.map((row) => [row.key_id, row.used_nano]))
}

/** The newest row of each key: one index look-up, however long the log is. */
async function lastUses(
  { db }: Engine,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number | null>> {
  const rows = await db
    .selectFrom('api_key as k')
    .select([
      'k.id',
      sql<number | null>`(SELECT at FROM usage_row WHERE key_id = k.id
        ORDER BY request_id DESC NULLS LAST LIMIT 1)`.as('last_at'),
    ])
    .where('k.id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.id, row.last_at]))
}

/** The addresses of the owners of personal keys. A deleted user has none. */
async function ownerEmails(
  { db }: Engine,
  keys: readonly KeyListing[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(keys.flatMap(({ ownerId }) => ownerId ?? []))]
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('console_user')
    .select(['id', 'email', 'invited_email'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.id, row.invited_email ?? row.email]))
}

function describeKey(
  key: KeyListing,
  facts: Pick<KeyRow, 'lastUsedAt' | 'ownerEmail' | 'budgets'>,
  nowMs: number,
): KeyRow {
  return {
    ...toWire(keyDefinition, key),
    id: key.id,
    state: keyState(key, facts.budgets, nowMs),
    hint: key.hint,
    spentNano: String(key.spentNano),
    createdAt: key.createdAtMs,
    ...facts,
  }
}

function keyState(key: KeyListing, budgets: readonly BudgetState[], nowMs: number): KeyState {
  if (!key.isRunning) return 'stopped'
  if (!key.isEnabled) return 'disabled'
  if (key.expiresAt !== null && key.expiresAt <= nowMs) return 'expired'
  const isQuotaSpent = key.quotaNano !== null && key.spentNano >= key.quotaNano
  const isBudgetSpent = budgets.some(({ remainingNano }) => remainingNano === '0')
  return isQuotaSpent || isBudgetSpent ? 'exhausted' : 'active'
}
