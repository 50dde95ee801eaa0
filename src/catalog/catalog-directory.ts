import type { Change } from '../store/changes/changes.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import type { CatalogSnapshot } from './catalog-snapshot.ts'
import { readCatalog } from './read-catalog.ts'

/** The catalogue in memory. The announcement of any change reloads the whole catalogue. */
export interface CatalogDirectory {
  snapshot(): CatalogSnapshot
  apply(changes: readonly Change[]): Promise<void>
}

export async function openCatalogDirectory(
  engine: Engine,
  vault: Vault,
  demoBaseUrl: string | undefined,
): Promise<CatalogDirectory> {
  let current = await readCatalog(engine, vault, demoBaseUrl)
  return {
    snapshot: () => current,
    apply: async (changes) => {
      if (changes.some((each) => each.topic === 'catalog'))
        current = await readCatalog(engine, vault, demoBaseUrl)
    },
  }
}
