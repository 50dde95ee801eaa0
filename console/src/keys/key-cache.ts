import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { KeyRow, KeysAnswer } from '../../../src/console-api/contract.ts'
import { keyQuery } from '../api/queries.ts'

type Pages = InfiniteData<KeysAnswer, string | undefined>

/** Optimistic update of a key. Returns a function that rolls it back. */
export function changeKeyInCache(
  queries: QueryClient,
  id: string,
  change: (row: KeyRow) => KeyRow,
): () => void {
  const lists = queries.getQueriesData<Pages>({ queryKey: ['keys'] })
  const single = queries.getQueryData(keyQuery(id).queryKey)
  queries.setQueriesData<Pages>(
    { queryKey: ['keys'] },
    (pages) => pages && changed(pages, id, change),
  )
  if (single) queries.setQueryData(keyQuery(id).queryKey, change(single))
  return () => {
    for (const [key, pages] of lists) queries.setQueryData(key, pages)
    if (single) queries.setQueryData(keyQuery(id).queryKey, single)
  }
}

function changed(pages: Pages, id: string, change: (row: KeyRow) => KeyRow): Pages {
  return {
    ...pages,
    pages: pages.pages.map((page) => ({
      ...page,
      keys: page.keys.map((row) => (row.id === id ? change(row) : row)),
    })),
  }
}

/** Invalidates the queries that depend on keys. */
export async function refreshKeys(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['keys'] }),
    queries.invalidateQueries({ queryKey: ['key'] }),
    queries.invalidateQueries({ queryKey: ['overview'] }),
    queries.invalidateQueries({ queryKey: ['playground'] }),
    queries.invalidateQueries({ queryKey: ['usage-facets'] }),
  ])
}
