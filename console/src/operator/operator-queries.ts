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
  ask: (context: Pick<QueryFunctionContext, 'signal'>) => Promise<Answer>,
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
  ask: (from: string | undefined, context: Pick<QueryFunctionContext, 'signal'>) => Promise<Answer>,
) {
  return infiniteQueryOptions({
    queryKey: [...operatorKey, 'list', name, query],
    queryFn: ({ pageParam, signal }) => ask(pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  })
}

export const vendorsQuery = one(['vendors'], (context) => call('GET /operate/vendors', context), {
  staleTime: vendorsFreshMs,
})
export const startModelsQuery = (id: string) =>
  one(['start-models', id], (context) =>
    call('GET /operate/vendors/{id}/models', { params: { id }, ...context }),
  )

export const upstreamsQuery = {
  ...list('upstreams', {}, (after, context) =>
    call('GET /operate/upstreams', { query: { after }, ...context }),
  ),
  refetchInterval: liveMs,
}
export const upstreamQuery = (id: string) =>
  one(
    ['upstreams', id],
    (context) => call('GET /operate/upstreams/{id}', { params: { id }, ...context }),
    { refetchInterval: liveMs },
  )
/** Calls the upstream, so it runs only on request. */
export const upstreamModelsQuery = (id: string) =>
  one(
    ['upstream-models', id],
    (context) => call('GET /operate/upstreams/{id}/models', { params: { id }, ...context }),
    { staleTime: vendorsFreshMs, retry: false },
  )

export interface RouteFilter {
  readonly group?: string | undefined
  readonly model?: string | undefined
  readonly upstream?: string | undefined
}
export const routesQuery = (filter: RouteFilter) =>
  list('routes', filter, (after, context) =>
    call('GET /operate/routes', { query: { ...filter, after }, ...context }),
  )

export const operatorModelsQuery = (search: string | undefined, lacks?: 'price' | 'route') =>
  list('models', { search, lacks }, (after, context) =>
    call('GET /operate/models', { query: { search, lacks, after }, ...context }),
  )
export const operatorModelQuery = (id: string) =>
  one(['models', id], (context) => call('GET /operate/models/{id}', { params: { id }, ...context }))
export const gapsQuery = one(['model-gaps'], (context) => call('GET /operate/model-gaps', context))

export const groupsQuery = list('groups', {}, (after, context) =>
  call('GET /operate/groups', { query: { after }, ...context }),
)
export const groupQuery = (id: string) =>
  one(['groups', id], (context) => call('GET /operate/groups/{id}', { params: { id }, ...context }))

export const accountsQuery = (search: string | undefined) =>
  list('accounts', { search }, (after, context) =>
    call('GET /operate/accounts', { query: { search, after }, ...context }),
  )
export const operatorAccountQuery = (id: string) =>
  one(['accounts', id], (context) =>
    call('GET /operate/accounts/{id}', { params: { id }, ...context }),
  )

export const usersQuery = (search: string | undefined) =>
  list('users', { search }, (after, context) =>
    call('GET /operate/users', { query: { search, after }, ...context }),
  )
export const userQuery = (id: string) =>
  one(['users', id], (context) => call('GET /operate/users/{id}', { params: { id }, ...context }))

export type AuditFilter = Readonly<Omit<NonNullable<QueryOf<'GET /operate/audit'>>, 'before'>>
export const auditQuery = (filter: AuditFilter) =>
  list('audit', filter, (before, context) =>
    call('GET /operate/audit', { query: { ...filter, before }, ...context }),
  )

export const systemQuery = one(['system'], (context) => call('GET /operate/system', context), {
  refetchInterval: liveMs,
})
