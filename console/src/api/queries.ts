import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  KeysAnswer,
  OverviewAnswer,
  SessionAnswer,
  UsageAnswer,
  UsageStory,
} from '../../../src/console-api/contract.ts'
import { get } from './client.ts'

const liveMs = 5_000
/** A reader who has gone this far back reads, and does not watch; then the log stands still. */
const livePagesMax = 3
const sessionFreshMs = 60_000

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => get<SessionAnswer>('/session', {}, signal),
  staleTime: sessionFreshMs,
})

export const overviewQuery = (account: string | undefined) =>
  queryOptions({
    queryKey: ['overview', account],
    queryFn: ({ signal }) => get<OverviewAnswer>('/overview', { account }, signal),
    refetchInterval: liveMs,
    placeholderData: keepPreviousData,
  })

export const keysQuery = (account: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['keys', account],
    queryFn: ({ pageParam, signal }) =>
      get<KeysAnswer>('/keys', { account, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  })

export const isLive = (pageCount: number) => pageCount <= livePagesMax

export const usageQuery = (account: string | undefined, key: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['usage', account, key],
    queryFn: ({ pageParam, signal }) =>
      get<UsageAnswer>('/usage', { account, key, before: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: (query) => (isLive(query.state.data?.pages.length ?? 0) ? liveMs : false),
  })

export const usageStoryQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['usage-story', requestId],
    queryFn: ({ signal }) => get<UsageStory>(`/usage/${encodeURIComponent(requestId)}`, {}, signal),
  })
