import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'

/** The key that had this value when its owner left; undefined for a value that may be used. */
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
