import type { Vault } from '../store/vault.ts'
import type { Writing } from '../store/write.ts'
import { sealPurpose } from './key-store.ts'
import { hintOf } from './key-value.ts'

/** Gives a key another value that somebody brings along; the old one stops working. False when nothing changed. */
export async function replaceKeyValue(
  { tx, announce }: Writing,
  vault: Vault,
  id: string,
  value: string,
): Promise<boolean> {
  const value_hash = vault.lookupHash(value)
  const result = await tx
    .updateTable('api_key')
    .set({
      value_hash,
      value_sealed: vault.seal(value, sealPurpose),
      value_hint: hintOf(value),
      imported: 1,
    })
    .where('id', '=', id)
    .where('value_hash', '<>', value_hash)
    .executeTakeFirst()
  if (result.numUpdatedRows === 0n) return false
  announce('key', id)
  return true
}
