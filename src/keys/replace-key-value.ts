import type { RandomBytes } from '../core/id.ts'
import { keyHint } from '../core/text/secret-hint.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { sealPurpose } from './key-store.ts'
import { mintKeyValue } from './key-value.ts'
import { retireSupplied } from './retired-value.ts'

/**
 * Gives a key a value that the operator supplies; the old value stops working. Returns false when the value is the
 * same.
 */
export function replaceKeyValue(
  writing: Writing,
  vault: Vault,
  id: string,
  value: string,
): Promise<boolean> {
  return setKeyValue(writing, vault, id, { value, isImported: true })
}

/** Gives a key a new generated value and returns the new value; the old value stops working. */
export async function rotateKeyValue(
  writing: Writing,
  deps: { readonly vault: Vault; readonly random: RandomBytes },
  id: string,
): Promise<string> {
  const value = mintKeyValue(deps.random)
  await retireSupplied(writing, id)
  await setKeyValue(writing, deps.vault, id, { value, isImported: false })
  return value
}

async function setKeyValue(
  { tx, announce }: Writing,
  vault: Vault,
  id: string,
  { value, isImported }: { value: string; isImported: boolean },
): Promise<boolean> {
  const value_hash = vault.lookupHash(value)
  const result = await tx
    .updateTable('api_key')
    .set({
      value_hash,
      value_sealed: vault.seal(value, sealPurpose),
      value_hint: keyHint(value),
      imported: isImported ? 1 : 0,
      stopped: 0,
      deleted_at: null,
    })
    .where('id', '=', id)
    .where('value_hash', '<>', value_hash)
    .executeTakeFirst()
  if (result.numUpdatedRows === 0n) return false
  announce('key', id)
  return true
}
