import { infiniteQueryOptions, keepPreviousData, type UseQueryOptions } from '@tanstack/react-query'
import type {
  AccountsAnswer,
  AuditAnswer,
  GroupRow,
  GroupsAnswer,
  ModelDetail,
  ModelGaps,
  ModelsAnswer,
  OperatorAccountDetail,
  Page,
  RoutesAnswer,
  StartModelsAnswer,
  SystemAnswer,
  UpstreamDetail,
  UpstreamModelsAnswer,
  UpstreamsAnswer,
  UserRow,
  UsersAnswer,
  VendorsAnswer,
} from '../../../src/console-api/contract.ts'
import { get, type Query } from '../api/client.ts'

/** Everything here is asked for again after a change; what another page shows may hang on it. */
export const operatorKey = ['operate'] as const

/** Health and breakers change by themselves. */
const liveMs = 10_000
const vendorsFreshMs = 3_600_000

const pathOf = (list: string, id: string) => `/operate/${list}/${encodeURIComponent(id)}`

export type DetailQuery<Answer> = UseQueryOptions<Answer, Error, Answer, readonly unknown[]>

function one<Answer>(
  path: string,
  options: Partial<DetailQuery<Answer>> = {},
): DetailQuery<Answer> {
  return {
    ...options,
    queryKey: [...operatorKey, path],
    queryFn: ({ signal }) => get<Answer>(path, {}, signal),
  }
}

/** A list that is asked for page by page; `cursor` is the parameter that names where the next one begins. */
function list<Answer extends Page>(
  path: string,
  query: Query,
  cursor: 'after' | 'before' = 'after',
) {
  return infiniteQueryOptions({
    queryKey: [...operatorKey, 'list', path, query],
    queryFn: ({ pageParam, signal }) =>
      get<Answer>(path, { ...query, [cursor]: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  })
}

export const vendorsQuery = one<VendorsAnswer>('/operate/vendors', { staleTime: vendorsFreshMs })
export const startModelsQuery = (vendor: string) =>
  one<StartModelsAnswer>(`${pathOf('vendors', vendor)}/models`)

export const upstreamsQuery = {
  ...list<UpstreamsAnswer>('/operate/upstreams', {}),
  refetchInterval: liveMs,
}
export const upstreamQuery = (id: string) =>
  one<UpstreamDetail>(pathOf('upstreams', id), { refetchInterval: liveMs })
/** Asks the upstream itself, so only when a person wants to know. */
export const upstreamModelsQuery = (id: string) =>
  one<UpstreamModelsAnswer>(`${pathOf('upstreams', id)}/models`, {
    staleTime: vendorsFreshMs,
    retry: false,
  })

export interface RouteFilter {
  readonly group?: string | undefined
  readonly model?: string | undefined
  readonly upstream?: string | undefined
}
export const routesQuery = (filter: RouteFilter) =>
  list<RoutesAnswer>('/operate/routes', { ...filter })

export const operatorModelsQuery = (search: string | undefined, lacks?: 'price' | 'route') =>
  list<ModelsAnswer>('/operate/models', { search, lacks })
export const operatorModelQuery = (id: string) => one<ModelDetail>(pathOf('models', id))
export const gapsQuery = one<ModelGaps>('/operate/models/gaps')

export const groupsQuery = list<GroupsAnswer>('/operate/groups', {})
export const groupQuery = (id: string) => one<GroupRow>(pathOf('groups', id))

export const accountsQuery = (search: string | undefined) =>
  list<AccountsAnswer>('/operate/accounts', { search })
export const operatorAccountQuery = (id: string) =>
  one<OperatorAccountDetail>(pathOf('accounts', id))

export const usersQuery = (search: string | undefined) =>
  list<UsersAnswer>('/operate/users', { search })
export const userQuery = (id: string) => one<UserRow>(pathOf('users', id))

export interface AuditFilter {
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly subject?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}
export const auditQuery = (filter: AuditFilter) =>
  list<AuditAnswer>('/operate/audit', { ...filter }, 'before')

export const systemQuery = one<SystemAnswer>('/operate/system', { refetchInterval: liveMs })
