import type { PutResult } from '../catalog/catalog-store.ts'
import { ConfigProblem } from '../config/config-problem.ts'
import type { ProvisionKey } from '../config/provision.ts'
import { keptSettings } from '../keys/kept-settings.ts'
import { createKey, type KeyTools, updateKey } from '../keys/key-store.ts'
import { replaceKeyValue, rotateKeyValue } from '../keys/replace-key-value.ts'
import { isKept } from '../store/kept-fields.ts'
import type { Writing } from '../store/write.ts'

/** Creates the key, or updates its value and settings. */
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
  if (!row) {
    await createKey(writing, tools, entry, { id: entry.id, value: entry.value })
    return 'created'
  }
  if (row.account_id !== entry.accountId) {
    throw new ConfigProblem(
      `${entry.where}: the key "${entry.id}" belongs to the account "${row.account_id}" and cannot move to "${entry.accountId}"; give the new key another id.`,
    )
  }
  const isReplaced = await putValue(writing, tools, entry, row.deleted_at !== null)
  const isSame = isKept(keptSettings, row, entry)
  if (!isSame) await updateKey(writing, entry.id, entry)
  return isSame && !isReplaced ? 'same' : 'changed'
}

/** A deleted key has lost its value: a key that is restored without a given value gets a new one. */
async function putValue(
  writing: Writing,
  tools: KeyTools,
  { id, value }: ProvisionKey,
  isDeleted: boolean,
): Promise<boolean> {
  if (value !== undefined) return replaceKeyValue(writing, tools.vault, id, value)
  if (isDeleted) await rotateKeyValue(writing, tools, id)
  return isDeleted
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
    `${entry.where}: the key "${entry.id}" has the same value as the key "${other.id}"; every key needs its own value.`,
  )
}
