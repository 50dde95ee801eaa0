import type { RandomBytes } from '../core/id.ts'
import type { Vault } from '../store/vault.ts'
import type { Writing } from '../store/write.ts'
import { rotateKeyValue } from './replace-key-value.ts'

/** Turns the key of a former member into a service key with a new value, and returns the new value. */
export async function makeServiceKey(
  writing: Writing,
  deps: { readonly vault: Vault; readonly random: RandomBytes },
  id: string,
): Promise<string> {
  await retireValue(writing, id)
  const value = await rotateKeyValue(writing, deps, id)
  await writing.tx
    .updateTable('api_key')
    .set({ owner_user_id: null })
    .where('id', '=', id)
    .execute()
  return value
}

/** The key of a suspended user still has its value. */
async function retireValue({ tx }: Writing, id: string): Promise<void> {
  const row = await tx
    .selectFrom('api_key')
    .select('value_hash')
    .where('id', '=', id)
    .where('stopped', '=', 0)
    .executeTakeFirst()
  if (!row) return
  await tx
    .insertInto('retired_value')
    .values({ value_hash: row.value_hash, key_id: id })
    .onConflict((conflict) => conflict.column('value_hash').doNothing())
    .execute()
}
