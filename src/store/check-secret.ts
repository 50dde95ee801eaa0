import type { Engine } from './engine.ts'
import { addFact, readFact } from './facts.ts'
import type { Vault } from './vault.ts'

const factName = 'secret-check'
const probe = 'tollgate'

/**
 * A database belongs to one secret. With another one no key could be found and no credential decrypted, so a mismatch
 * is reported at once.
 */
export async function isSecretOfDatabase(engine: Engine, vault: Vault): Promise<boolean> {
  const value = vault.lookupHash(probe)
  const known = await readFact(engine.db, factName)
  if (known !== undefined) return known === value
  if (await addFact(engine.db, factName, value)) return true
  // Another process may have been faster, with another secret.
  return (await readFact(engine.db, factName)) === value
}
