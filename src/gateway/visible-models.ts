import type { CatalogSnapshot } from '../catalog/catalog-snapshot.ts'
import type { ModelListing } from '../core/model-listing.ts'
import type { KeyRecord } from '../keys/key-record.ts'

/** The models that a key can call: routed in one of its groups and within its list, in order of id. */
export function visibleModels(catalog: CatalogSnapshot, key: KeyRecord): ModelListing[] {
  const ids = new Set<string>()
  for (const groupId of key.groups) {
    if (!catalog.groups.has(groupId)) continue
    for (const modelId of catalog.routes.get(groupId)?.keys() ?? []) {
      if (!key.models || key.models.has(modelId)) ids.add(modelId)
    }
  }
  return [...ids]
    .sort()
    .map((id) => catalog.models.get(id))
    .filter((model) => model !== undefined)
}
