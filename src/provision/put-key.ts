import { ConfigProblem } from '../config/config-problem.ts'
import type { ProvisionKey } from '../config/provision.ts'
import { createKey, type KeySettings, type KeyTools, updateKey } from '../keys/key-store.ts'
import { replaceKeyValue } from '../keys/replace-key-value.ts'
import type { ApiKeyTable } from '../store/tables.ts'
import type { Writing } from '../store/write.ts'
import type { PutResult } from './applied.ts'

/** Makes the key, or brings its value and settings up to date. */
export async function putKey(
  writing: Writing,
  tools: KeyTools,
  entry: ProvisionKey,
): Promise<PutResult> {
  const row = await writing.tx
    .selectFrom('api_key')
    .selectAll()
    .where('id', '=', entry.id)
    .executeTakeFirst()
  await checkValue(writing, tools, entry)
  const settings = settingsOf(entry)
  if (!row) {
    await createKey(writing, tools, settings, { id: entry.id, value: entry.value })
    return 'created'
  }
  if (row.account_id !== entry.account) {
    throw new ConfigProblem(
      `${entry.where}: the key "${entry.id}" belongs to the account "${row.account_id}" and cannot move to "${entry.account}"; give the new key another id.`,
    )
  }
  const isReplaced =
    entry.value !== undefined &&
    (await replaceKeyValue(writing, tools.vault, entry.id, entry.value))
  const isSame = hasSettings(row, settings)
  if (!isSame) await updateKey(writing, entry.id, settings)
  return isSame && !isReplaced ? 'same' : 'changed'
}

function settingsOf(entry: ProvisionKey): KeySettings {
  return {
    accountId: entry.account,
    name: entry.name,
    groups: entry.groups,
    models: entry.models,
    quotaNano: entry.quotaNano,
    expiresAtMs: entry.expiresAtMs,
    addresses: entry.addresses,
    isEnabled: entry.isEnabled,
  }
}

function hasSettings(row: ApiKeyTable, settings: KeySettings): boolean {
  return (
    row.name === settings.name &&
    row.groups === listText(settings.groups) &&
    row.models === listText(settings.models) &&
    row.addresses === listText(settings.addresses) &&
    row.quota_nano === (settings.quotaNano ?? null) &&
    row.expires_at === (settings.expiresAtMs ?? null) &&
    row.enabled === (settings.isEnabled ? 1 : 0)
  )
}

function listText(list: readonly string[] | undefined): string | null {
  return list === undefined ? null : JSON.stringify(list)
}

async function checkValue({ tx }: Writing, tools: KeyTools, entry: ProvisionKey): Promise<void> {
  if (entry.value === undefined) return
  const other = await tx
    .selectFrom('api_key')
    .select('id')
    .where('value_hash', '=', tools.vault.lookupHash(entry.value))
    .where('id', '<>', entry.id)
    .executeTakeFirst()
  if (!other) return
  throw new ConfigProblem(
    `${entry.where}: the key "${entry.id}" has the same value as the key "${other.id}"; every key needs its own.`,
  )
}
