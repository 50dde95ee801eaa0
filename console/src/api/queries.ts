import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  AccountDetail,
  CatalogueAnswer,
  KeyOptions,
  KeyRow,
  KeysAnswer,
  keySorts,
  OverviewAnswer,
  OverviewPeriod,
  PlaygroundOptions,
  SeriesBy,
  SessionAnswer,
  SessionsAnswer,
  StatementAnswer,
} from '../../../src/console-api/contract.ts'
import { get } from './client.ts'

const liveMs = 10_000
const sessionFreshMs = 60_000

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => get<SessionAnswer>('/session', {}, signal),
  staleTime: sessionFreshMs,
})

export const overviewQuery = (
  account: string | undefined,
  period: OverviewPeriod = '7d',
  by: SeriesBy = 'model',
) =>
  queryOptions({
    queryKey: ['overview', account, period, by],
    queryFn: ({ signal }) => get<OverviewAnswer>('/overview', { account, period, by }, signal),
    refetchInterval: liveMs,
    placeholderData: keepPreviousData,
  })

export type KeySort = (typeof keySorts)[number]

interface KeyOrder {
  readonly sort: KeySort
  readonly order: 'asc' | 'desc'
}

export const keysQuery = (
  account: string | undefined,
  search: string | undefined,
  order: KeyOrder = { sort: 'created', order: 'desc' },
) =>
  infiniteQueryOptions({
    queryKey: ['keys', account, search, order],
    queryFn: ({ pageParam, signal }) =>
      get<KeysAnswer>('/keys', { account, search, ...order, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  })

export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: ['key', id],
    queryFn: ({ signal }) => get<KeyRow>(`/keys/${encodeURIComponent(id)}`, {}, signal),
  })

export const keyOptionsQuery = (account: string) =>
  queryOptions({
    queryKey: ['key-options', account],
    queryFn: ({ signal }) => get<KeyOptions>('/keys/options', { account }, signal),
  })

export const modelsQuery = (account: string | undefined, search: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['models', account, search],
    queryFn: ({ pageParam, signal }) =>
      get<CatalogueAnswer>('/models', { account, search, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  })

export const billingQuery = (account: string, from: string | undefined, to: string | undefined) =>
  queryOptions({
    queryKey: ['billing', account, from, to],
    queryFn: ({ signal }) => get<StatementAnswer>('/billing', { account, from, to }, signal),
    placeholderData: keepPreviousData,
  })

export const playgroundQuery = (account: string | undefined) =>
  queryOptions({
    queryKey: ['playground', account],
    queryFn: ({ signal }) => get<PlaygroundOptions>('/playground/options', { account }, signal),
  })

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ['account', id],
    queryFn: ({ signal }) => get<AccountDetail>(`/accounts/${encodeURIComponent(id)}`, {}, signal),
  })

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => get<SessionsAnswer>('/sessions', {}, signal),
})
