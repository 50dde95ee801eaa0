import type { CatalogSnapshot } from '../catalog/catalog-snapshot.ts'
import type { ModelListing } from '../core/neutral/model-listing.ts'
import type { KeyRecord } from '../keys/key-record.ts'
import { isGranted } from '../routing/plan.ts'

/** The models that a key can call, by id: those in its list that are served in a group open to key and account. */
export function visibleModels(
  catalog: CatalogSnapshot,
  key: KeyRecord,
  nowMs: number,
): ModelListing[] {
  const { accountId } = key
  const ids = new Set<string>()
  for (const groupId of key.groups) {
    const group = catalog.groups.get(groupId)
    if (!group || !isGranted(group, { accountId, nowMs })) continue
    for (const [modelId, routes] of catalog.routes.get(groupId) ?? []) {
      if (key.models && !key.models.has(modelId)) continue
      if (routes.some(({ upstream }) => upstream.isEnabled)) ids.add(modelId)
    }
  }
  return [...ids]
    .sort()
    .map((id) => catalog.models.get(id))
    .filter((model) => model !== undefined)
}
