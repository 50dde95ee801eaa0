import type { Writing } from '../store/changes/write.ts'
import type { CatalogDeps } from './catalog-store.ts'
import { putGroup } from './group-store.ts'

export const defaultGroup = 'default'

/** Creates the group that is used when no other group is named; an existing one keeps its factor. */
export async function ensureDefaultGroup(writing: Writing, deps: CatalogDeps): Promise<void> {
  const known = await writing.tx
    .selectFrom('service_group')
    .select('id')
    .where('id', '=', defaultGroup)
    .executeTakeFirst()
  if (known) return
  await putGroup(writing, deps, { id: defaultGroup })
}
