import type { Writing } from '../store/write.ts'
import type { CatalogTools } from './catalog-store.ts'
import { putGroup } from './group-store.ts'

export const defaultGroup = 'default'

/** The group that everything is in when no other is named; one that is there keeps its factor. */
export async function ensureDefaultGroup(writing: Writing, tools: CatalogTools): Promise<void> {
  const known = await writing.tx
    .selectFrom('service_group')
    .select('id')
    .where('id', '=', defaultGroup)
    .executeTakeFirst()
  if (known) return
  await putGroup(writing, tools, { id: defaultGroup })
}
