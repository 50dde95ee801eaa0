import { findKeyOwner } from '../accounts/find-key-owner.ts'
import type { PutResult } from '../catalog/catalog-store.ts'
import { ConfigProblem } from '../config/config-problem.ts'
import type { ProvisionKey } from '../config/provision.ts'
import { createKey, type KeyDeps, updateKey } from '../keys/key-store.ts'
import { replaceKeyValue, rotateKeyValue } from '../keys/replace-key-value.ts'
import { retiredFrom } from '../keys/retired-value.ts'
import { settingColumns } from '../keys/setting-columns.ts'
import type { Writing } from '../store/changes/write.ts'
import { hasValues } from '../store/rows/stored-fields.ts'
import { type OnConflict, refuseConflict } from './conflicts.ts'

/** Creates the key, or updates its value and settings. */
export async function putKey(
  writing: Writing,
  deps: KeyDeps,
  entry: ProvisionKey,
  onConflict: OnConflict = refuseConflict,
): Promise<PutResult> {
  const row = await writing.tx
    .selectFrom('api_key')
    .selectAll()
    .where('id', '=', entry.id)
    .executeTakeFirst()
  if (row && row.account_id !== entry.accountId) {
    onConflict(
      `${entry.where}: the key "${entry.id}" belongs to the account "${row.account_id}" and cannot move to "${entry.accountId}"; give the new key another id.`,
    )
    return 'same'
  }
  const value = await usableValue(writing, deps, entry, onConflict)
  if (!row) {
    const ownerId = await findOwner(writing, entry)
    await createKey(writing, deps, { ...entry, ownerId }, { id: entry.id, value })
    return 'created'
  }
  await checkOwner(writing, entry, row.owner_user_id, onConflict)
  const isReplaced = await putValue(writing, deps, { ...entry, value }, row.deleted_at !== null)
  const settings = { ...entry, ownerId: row.owner_user_id }
  const isSame = hasValues(settingColumns, row, settings)
  if (!isSame) await updateKey(writing, entry.id, settings)
  return isSame && !isReplaced ? 'same' : 'changed'
}

/** A deleted key has lost its value: a key that is restored without a given value gets a new one. */
async function putValue(
  writing: Writing,
  deps: KeyDeps,
  { id, value }: ProvisionKey,
  isDeleted: boolean,
): Promise<boolean> {
  if (value !== undefined) return replaceKeyValue(writing, deps.vault, id, value)
  if (isDeleted) await rotateKeyValue(writing, deps, id)
  return isDeleted
}

async function findOwner({ tx }: Writing, entry: ProvisionKey): Promise<string | null> {
  const { accountId, ownerId: name } = entry
  if (name === null) return null
  const owner = await findKeyOwner(tx, accountId, name)
  if (owner !== undefined) return owner
  throw new ConfigProblem(
    `${entry.where}: the account "${accountId}" has no member "${name}" who can own the key "${entry.id}"; add the user to the account with the role member or owner, or remove "owner".`,
  )
}

/**
 * A key keeps its owner. An entry without an owner, or with one who is no longer a member, leaves the key alone: removing
 * a member must not keep the gateway from starting.
 */
async function checkOwner(
  { tx }: Writing,
  entry: ProvisionKey,
  present: string | null,
  onConflict: OnConflict,
): Promise<void> {
  const { accountId, ownerId: name } = entry
  const wanted = name === null ? undefined : await findKeyOwner(tx, accountId, name)
  if (wanted === undefined || wanted === present) return
  const kind = present === null ? 'is a service key' : 'belongs to another user'
  onConflict(
    `${entry.where}: the key "${entry.id}" ${kind} and cannot be given to "${name}"; remove "owner", or give the new key another id.`,
  )
}

/** The given value, unless no key may have it: a retired value never comes back, and every key needs its own value. */
async function usableValue(
  { tx }: Writing,
  deps: KeyDeps,
  { id, value, where }: ProvisionKey,
  onConflict: OnConflict,
): Promise<string | undefined> {
  if (value === undefined) return undefined
  const retiredKeyId = await retiredFrom(tx, deps.vault, value)
  if (retiredKeyId === id) return undefined
  if (retiredKeyId !== undefined) {
    onConflict(
      `${where}: the value of the key "${id}" belonged to the key "${retiredKeyId}" of a user, who has left the account or replaced the value; every key needs a new value.`,
    )
    return undefined
  }
  const other = await tx
    .selectFrom('api_key')
    .select('id')
    .where('value_hash', '=', deps.vault.lookupHash(value))
    .where('id', '<>', id)
    .executeTakeFirst()
  if (!other) return value
  onConflict(
    `${where}: the key "${id}" has the same value as the key "${other.id}"; every key needs its own value.`,
  )
  return undefined
}
