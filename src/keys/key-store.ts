import { newId, type RandomBytes } from '../core/id.ts'
import type { Nano } from '../core/money/money.ts'
import { keyHint } from '../core/text/secret-hint.ts'
import { complete } from '../fields/definition.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import {
  budgetColumns,
  budgetMarksAfter,
  firstBudgetVersion,
} from '../store/rows/budget-columns.ts'
import { rowOf } from '../store/rows/stored-fields.ts'
import type { Vault } from '../store/secrets/vault.ts'
import type { ApiKeyTable } from '../store/tables/key-tables.ts'
import { type KeyValues, keyDefinition, type NewKey } from './definition/key.ts'
import { mintKeyValue } from './key-value.ts'
import { settingColumns } from './setting-columns.ts'

export const sealPurpose = 'api key'

export interface KeyDeps {
  readonly vault: Vault
  readonly random: RandomBytes
  readonly nowMs: () => number
}

/** Creates a key and returns its value. The value appears in no list and no log afterwards. */
export async function createKey(
  { tx, announce }: Writing,
  deps: KeyDeps,
  wanted: NewKey,
  given: { id?: string | undefined; value?: string | undefined } = {},
): Promise<{ id: string; value: string }> {
  const settings = complete(keyDefinition, wanted)
  const row = rowOf(settingColumns, settings)
  const id = given.id ?? newId('key', deps.random)
  const value = given.value ?? mintKeyValue(deps.random)
  await tx
    .insertInto('api_key')
    .values({
      id,
      value_hash: deps.vault.lookupHash(value),
      value_sealed: deps.vault.seal(value, sealPurpose),
      value_hint: keyHint(value),
      imported: given.value === undefined ? 0 : 1,
      ...row,
      budget_version: firstBudgetVersion(row),
      available_nano: settings.quotaNano,
      spent_nano: 0n,
      created_at: deps.nowMs(),
    })
    .execute()
  announce('key', id)
  return { id, value }
}

/**
 * Changes a key's settings. A new quota changes the available amount by the difference, so that concurrent spending and
 * the money held by requests in flight stay counted.
 */
export async function updateKey(
  { tx, announce, nowMs }: Writing,
  id: string,
  settings: KeyValues,
): Promise<void> {
  const row = rowOf(settingColumns, settings)
  const { quota_nano: quota, account_id: _account, owner_user_id: _owner, ...columns } = row
  const before = await tx
    .selectFrom('api_key')
    .select(budgetColumns)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  // The update runs before the read: it locks the row, so that no settlement can change the row in between.
  await tx
    .updateTable('api_key')
    // Provisioning a deleted key restores the key.
    .set({ ...columns, ...budgetMarksAfter(before, columns, nowMs), deleted_at: null })
    .where('id', '=', id)
    .execute()
  const present = await tx
    .selectFrom('api_key')
    .select(['quota_nano', 'spent_nano'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (quota !== present.quota_nano) await moveQuota(tx, id, present, quota)
  announce('key', id)
}

async function moveQuota(
  tx: Writing['tx'],
  id: string,
  row: Pick<ApiKeyTable, 'quota_nano' | 'spent_nano'>,
  quota: Nano | null,
): Promise<void> {
  await tx.updateTable('api_key').set({ quota_nano: quota }).where('id', '=', id).execute()
  if (quota === null) {
    await tx.updateTable('api_key').set({ available_nano: null }).where('id', '=', id).execute()
  } else if (row.quota_nano === null) {
    const held = await tx
      .selectFrom('lease')
      .select('granted_nano')
      .where('key_id', '=', id)
      .execute()
    const heldNano = held.reduce((sum, lease) => sum + lease.granted_nano, 0n)
    await tx
      .updateTable('api_key')
      .set({ available_nano: quota - row.spent_nano - heldNano })
      .where('id', '=', id)
      .execute()
  } else {
    const difference = quota - row.quota_nano
    await tx
      .updateTable('api_key')
      .set((eb) => ({ available_nano: eb('available_nano', '+', difference) }))
      .where('id', '=', id)
      .execute()
  }
}

export async function setKeyEnabled(
  { tx, announce }: Writing,
  id: string,
  isEnabled: boolean,
): Promise<boolean> {
  const result = await tx
    .updateTable('api_key')
    .set({ enabled: isEnabled ? 1 : 0 })
    .where('id', '=', id)
    .executeTakeFirst()
  announce('key', id)
  return result.numUpdatedRows > 0n
}

/** Undefined when the key is missing, has no value, or its value can no longer be shown. */
export async function revealKey(
  engine: Pick<Engine, 'db'>,
  vault: Vault,
  id: string,
): Promise<string | undefined> {
  const row = await engine.db
    .selectFrom('api_key')
    .select('value_sealed')
    .where('id', '=', id)
    .where('value_sealed', '<>', '')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && vault.open(row.value_sealed, sealPurpose)
}
