import type { CatalogTools } from '../catalog/catalog-store.ts'
import { putGroup } from '../catalog/group-store.ts'
import type { Writing } from '../store/write.ts'
import { knownIds } from './known-ids.ts'

export const defaultGroup = 'default'

/** The group that everything is in when no other is named; one that is there keeps its factor. */
export async function ensureDefaultGroup(writing: Writing, tools: CatalogTools): Promise<void> {
  const known = await knownIds(writing.tx, 'service_group', [defaultGroup])
  if (known.has(defaultGroup)) return
  await putGroup(writing, tools, { id: defaultGroup })
}
