import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query'
import { useEffect } from 'react'
import { groupsQuery, operatorModelsQuery, upstreamsQuery } from '../operator-queries.ts'

/** Upper bound on the pages that are fetched to fill a list of choices. */
const pagesMax = 20

function useToTheEnd<Page>(query: UseInfiniteQueryResult<InfiniteData<Page>>): readonly Page[] {
  const pages = query.data?.pages ?? []
  const isMore = query.hasNextPage && !query.isFetching && pages.length < pagesMax
  const { fetchNextPage } = query
  useEffect(() => {
    if (isMore) void fetchNextPage()
  }, [isMore, fetchNextPage])
  return pages
}

export function useGroupIds(): string[] {
  const pages = useToTheEnd(useInfiniteQuery(groupsQuery))
  return pages.flatMap((page) => page.groups.map(({ id }) => id))
}

export function useUpstreamRows() {
  const pages = useToTheEnd(useInfiniteQuery(upstreamsQuery))
  return pages.flatMap((page) => page.upstreams)
}

/** First page of model ids that match the typed text. */
export function useModelIds(search?: string): string[] {
  const models = useInfiniteQuery(operatorModelsQuery(search))
  return models.data?.pages.flatMap((page) => page.models.map(({ id }) => id)) ?? []
}
