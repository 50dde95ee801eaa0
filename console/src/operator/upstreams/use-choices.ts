import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query'
import { useEffect } from 'react'
import { groupsQuery, operatorModelsQuery, upstreamsQuery } from '../operator-queries.ts'

/** A list of choices is asked for to its end, but not without one. */
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

/** The ids of models that fit what is typed; the first page of them, because there can be very many. */
export function useModelIds(search?: string): string[] {
  const models = useInfiniteQuery(operatorModelsQuery(search))
  return models.data?.pages.flatMap((page) => page.models.map(({ id }) => id)) ?? []
}
