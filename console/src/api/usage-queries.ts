import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { SeriesBy, UsageQuery } from '../../../src/console-api/contract.ts'
import { call } from './client.ts'

const liveMs = 5_000
/** Live updates stop beyond this many pages: the user is reading, not watching. */
const livePagesMax = 3

export const isLive = (pageCount: number) => pageCount <= livePagesMax

export const usageQuery = (filter: UsageQuery) =>
  infiniteQueryOptions({
    queryKey: ['usage', filter],
    queryFn: ({ pageParam, signal }) =>
      call('GET /usage', { query: { ...filter, before: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: (query) => (isLive(query.state.data?.pages.length ?? 0) ? liveMs : false),
    placeholderData: keepPreviousData,
  })

export const usageTotalsQuery = (filter: UsageQuery) =>
  queryOptions({
    queryKey: ['usage-totals', filter],
    queryFn: ({ signal }) => call('GET /usage/totals', { query: { ...filter }, signal }),
    refetchInterval: liveMs,
    placeholderData: keepPreviousData,
  })

export const usageSeriesQuery = (filter: UsageQuery, by: SeriesBy) =>
  queryOptions({
    queryKey: ['usage-series', filter, by],
    queryFn: ({ signal }) => call('GET /usage/series', { query: { ...filter, by }, signal }),
    refetchInterval: liveMs,
    placeholderData: keepPreviousData,
  })

export const usageFacetsQuery = (account: string | undefined) =>
  queryOptions({
    queryKey: ['usage-facets', account],
    queryFn: ({ signal }) => call('GET /usage/facets', { query: { account }, signal }),
    staleTime: 60_000,
  })

export const usageDetailQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['usage-detail', requestId],
    queryFn: ({ signal }) => call('GET /usage/{id}', { params: { id: requestId }, signal }),
  })
