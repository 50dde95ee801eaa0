import type { Engine } from './engine.ts'
import type { Vault } from './vault.ts'

const factName = 'secret-check'
const probe = 'tollgate'

/** A database belongs to one secret: with another no key could be found and no credential read, so say so at once. */
export async function isSecretOfDatabase(engine: Engine, vault: Vault): Promise<boolean> {
  const value = vault.lookupHash(probe)
  await engine.db
    .insertInto('fact')
    .values({ name: factName, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await engine.db
    .selectFrom('fact')
    .select('value')
    .where('name', '=', factName)
    .executeTakeFirst()
  return row?.value === value
}
