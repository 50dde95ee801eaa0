import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  keyKinds,
  keySorts,
  MessageRow,
  OverviewPeriod,
  SeriesBy,
  sortOrders,
} from '../../../src/console-api/contract.ts'
import type { ConsoleLanguage } from '../i18n/start-i18n.ts'
import { call } from './client.ts'

const liveMs = 10_000
const sessionFreshMs = 60_000

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => call('GET /session', { signal }),
  staleTime: sessionFreshMs,
})

export const overviewQuery = (
  account: string | undefined,
  period: OverviewPeriod = '7d',
  by: SeriesBy = 'model',
) =>
  queryOptions({
    queryKey: ['overview', account, period, by],
    queryFn: ({ signal }) => call('GET /overview', { query: { account, period, by }, signal }),
    refetchInterval: liveMs,
    placeholderData: keepPreviousData,
  })

export type KeySort = (typeof keySorts)[number]

/** The keys of a list and their order. */
export interface KeysWanted {
  readonly search?: string | undefined
  readonly kind?: (typeof keyKinds)[number] | undefined
  readonly user?: string | undefined
  readonly state?: 'stopped' | undefined
  readonly sort?: KeySort
  readonly order?: (typeof sortOrders)[number]
}

export const keysQuery = (account: string | undefined, wanted: KeysWanted = {}) =>
  infiniteQueryOptions({
    queryKey: ['keys', account, wanted],
    queryFn: ({ pageParam, signal }) =>
      call('GET /keys', { query: { account, ...wanted, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  })

export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: ['key', id],
    queryFn: ({ signal }) => call('GET /keys/{id}', { params: { id }, signal }),
  })

export const keyOptionsQuery = (account: string) =>
  queryOptions({
    queryKey: ['key-options', account],
    queryFn: ({ signal }) => call('GET /key-options', { query: { account }, signal }),
  })

export const alertsKey = ['alerts'] as const
export const messagesKey = ['messages'] as const

export const alertsQuery = (account: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...alertsKey, account],
    queryFn: ({ pageParam, signal }) =>
      call('GET /alerts', { query: { account, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  })

export const alertQuery = (id: string) =>
  queryOptions({
    queryKey: [...alertsKey, 'one', id],
    queryFn: ({ signal }) => call('GET /alerts/{id}', { params: { id }, signal }),
  })

export const conditionsQuery = (question: {
  readonly id: string
  readonly account: string | undefined
  readonly language: ConsoleLanguage
}) => {
  const { id, account, language } = question
  return infiniteQueryOptions({
    queryKey: [...alertsKey, 'conditions', id, account, language],
    queryFn: ({ pageParam, signal }) =>
      call('GET /alerts/{id}/conditions', {
        params: { id },
        query: { account, language, before: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  })
}

export const messagesQuery = (
  account: string | undefined,
  state: MessageRow['state'] | undefined,
) =>
  infiniteQueryOptions({
    queryKey: [...messagesKey, account, state],
    queryFn: ({ pageParam, signal }) =>
      call('GET /messages', { query: { account, state, before: pageParam }, signal }),
    // A waiting message is sent or fails while the page is open.
    refetchInterval: liveMs,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  })

export const tokensKey = ['tokens'] as const

export const tokensQuery = (account: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...tokensKey, account],
    queryFn: ({ pageParam, signal }) =>
      call('GET /tokens', { query: { account, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  })

export const modelsQuery = (account: string | undefined, search: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['models', account, search],
    queryFn: ({ pageParam, signal }) =>
      call('GET /models', { query: { account, search, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  })

export const billingQuery = (account: string, from: string | undefined, to: string | undefined) =>
  queryOptions({
    queryKey: ['billing', account, from, to],
    queryFn: ({ signal }) => call('GET /billing', { query: { account, from, to }, signal }),
    placeholderData: keepPreviousData,
  })

export const playgroundQuery = (account: string | undefined) =>
  queryOptions({
    queryKey: ['playground', account],
    queryFn: ({ signal }) => call('GET /playground/options', { query: { account }, signal }),
  })

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ['account', id],
    queryFn: ({ signal }) => call('GET /accounts/{id}', { params: { id }, signal }),
  })

/** The recording settings of an account: what it records, and who may read it. */
export const recordingQuery = (account: string) =>
  queryOptions({
    queryKey: ['recording', account],
    queryFn: ({ signal }) =>
      call('GET /accounts/{id}/recording', { params: { id: account }, signal }),
  })

/** The recording of one request without its contents; null if there is none. */
export const recordedQuery = (account: string, requestId: string) =>
  queryOptions({
    queryKey: ['recorded', account, requestId],
    queryFn: async ({ signal }) => {
      const found = await call('GET /accounts/{id}/recordings', {
        params: { id: account },
        query: { request: requestId },
        signal,
      })
      return found.rows[0] ?? null
    },
  })

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call('GET /sessions', { signal }),
})

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => call('GET /passkeys', { signal }),
})
