import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryFunctionContext,
  type UseQueryOptions,
} from '@tanstack/react-query'
import type { Page, QueryOf } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'

/** Prefix of all operator queries. A change invalidates all of them, because pages depend on each other. */
export const operatorKey = ['operate'] as const

/** Health and circuit breakers change without user action. */
const liveMs = 10_000
const vendorsFreshMs = 3_600_000

export type DetailQuery<Answer> = UseQueryOptions<Answer, Error, Answer, readonly unknown[]>

function one<Answer>(
  key: readonly string[],
  ask: (asked: Pick<QueryFunctionContext, 'signal'>) => Promise<Answer>,
  options: Partial<DetailQuery<Answer>> = {},
): DetailQuery<Answer> {
  return {
    ...options,
    queryKey: [...operatorKey, ...key],
    queryFn: ({ signal }) => ask({ signal }),
  }
}

/** A paged list; `from` is the cursor of the page. */
function list<Answer extends Page>(
  name: string,
  query: object,
  ask: (from: string | undefined, asked: Pick<QueryFunctionContext, 'signal'>) => Promise<Answer>,
) {
  return infiniteQueryOptions({
    queryKey: [...operatorKey, 'list', name, query],
    queryFn: ({ pageParam, signal }) => ask(pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  })
}

export const vendorsQuery = one(['vendors'], (asked) => call('GET /operate/vendors', asked), {
  staleTime: vendorsFreshMs,
})
export const startModelsQuery = (id: string) =>
  one(['start-models', id], (asked) =>
    call('GET /operate/vendors/{id}/models', { params: { id }, ...asked }),
  )

export const upstreamsQuery = {
  ...list('upstreams', {}, (after, asked) =>
    call('GET /operate/upstreams', { query: { after }, ...asked }),
  ),
  refetchInterval: liveMs,
}
export const upstreamQuery = (id: string) =>
  one(
    ['upstreams', id],
    (asked) => call('GET /operate/upstreams/{id}', { params: { id }, ...asked }),
    { refetchInterval: liveMs },
  )
/** Calls the upstream, so it runs only on request. */
export const upstreamModelsQuery = (id: string) =>
  one(
    ['upstream-models', id],
    (asked) => call('GET /operate/upstreams/{id}/models', { params: { id }, ...asked }),
    { staleTime: vendorsFreshMs, retry: false },
  )

export interface RouteFilter {
  readonly group?: string | undefined
  readonly model?: string | undefined
  readonly upstream?: string | undefined
}
export const routesQuery = (filter: RouteFilter) =>
  list('routes', filter, (after, asked) =>
    call('GET /operate/routes', { query: { ...filter, after }, ...asked }),
  )

export const operatorModelsQuery = (search: string | undefined, lacks?: 'price' | 'route') =>
  list('models', { search, lacks }, (after, asked) =>
    call('GET /operate/models', { query: { search, lacks, after }, ...asked }),
  )
export const operatorModelQuery = (id: string) =>
  one(['models', id], (asked) => call('GET /operate/models/{id}', { params: { id }, ...asked }))
export const gapsQuery = one(['model-gaps'], (asked) => call('GET /operate/model-gaps', asked))

export const groupsQuery = list('groups', {}, (after, asked) =>
  call('GET /operate/groups', { query: { after }, ...asked }),
)
export const groupQuery = (id: string) =>
  one(['groups', id], (asked) => call('GET /operate/groups/{id}', { params: { id }, ...asked }))

export const accountsQuery = (search: string | undefined) =>
  list('accounts', { search }, (after, asked) =>
    call('GET /operate/accounts', { query: { search, after }, ...asked }),
  )
export const operatorAccountQuery = (id: string) =>
  one(['accounts', id], (asked) => call('GET /operate/accounts/{id}', { params: { id }, ...asked }))

export const usersQuery = (search: string | undefined) =>
  list('users', { search }, (after, asked) =>
    call('GET /operate/users', { query: { search, after }, ...asked }),
  )
export const userQuery = (id: string) =>
  one(['users', id], (asked) => call('GET /operate/users/{id}', { params: { id }, ...asked }))

export type AuditFilter = Readonly<Omit<NonNullable<QueryOf<'GET /operate/audit'>>, 'before'>>
export const auditQuery = (filter: AuditFilter) =>
  list('audit', filter, (before, asked) =>
    call('GET /operate/audit', { query: { ...filter, before }, ...asked }),
  )

export const systemQuery = one(['system'], (asked) => call('GET /operate/system', asked), {
  refetchInterval: liveMs,
})
