import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'

/** The value of a key is retired: no key can ever have it again. */
export async function retireValue(
  { tx }: Pick<Writing, 'tx'>,
  key: { readonly id: string; readonly value_hash: string },
): Promise<void> {
  await tx
    .insertInto('retired_value')
    .values({ value_hash: key.value_hash, key_id: key.id })
    .onConflict((conflict) => conflict.column('value_hash').doNothing())
    .execute()
}

/**
 * Retires a value that an operator has supplied for the key of a user. Otherwise the file would bring the value back
 * after the user has replaced it, perhaps because somebody else knows it.
 */
export async function retireSupplied(writing: Pick<Writing, 'tx'>, id: string): Promise<void> {
  const key = await writing.tx
    .selectFrom('api_key')
    .select(['id', 'value_hash'])
    .where('id', '=', id)
    .where('imported', '=', 1)
    .where('owner_user_id', 'is not', null)
    .executeTakeFirst()
  if (key) await retireValue(writing, key)
}

/** The key that had this value before it was retired; undefined for a value that may be used. */
export async function retiredFrom(
  db: Engine['db'],
  vault: Vault,
  value: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('retired_value')
    .select('key_id')
    .where('value_hash', '=', vault.lookupHash(value))
    .executeTakeFirst()
  return row?.key_id
}
