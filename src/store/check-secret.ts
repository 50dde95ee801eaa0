import type { Engine } from './engine.ts'
import type { Vault } from './vault.ts'

const factName = 'secret-check'
const probe = 'tollgate'

/** A database belongs to one secret: with another no key could be found and no credential read, so say so at once. */
export async function isSecretOfDatabase(engine: Engine, vault: Vault): Promise<boolean> {
  const value = vault.lookupHash(probe)
  const find = engine.db.selectFrom('fact').select('value').where('name', '=', factName)
  const known = await find.executeTakeFirst()
  if (known) return known.value === value
  const made = await engine.db
    .insertInto('fact')
    .values({ name: factName, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst()
  if (made) return true
  // Another process may have been quicker, with another secret.
  return (await find.executeTakeFirst())?.value === value
}
