import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query'
import type {
  AccountRow,
  GroupRow,
  ModelRow,
  RouteRow,
  RoutesAnswer,
  UpstreamDetail,
  UpstreamRow,
  UserRow,
} from '../../../src/console-api/contract.ts'
import { operatorKey, upstreamQuery } from './operator-queries.ts'

/** Rows of the operator's lists, by list name. */
interface Rows {
  accounts: AccountRow
  groups: GroupRow
  models: ModelRow
  upstreams: UpstreamRow
  users: UserRow
}
export type ListName = keyof Rows

/** Optimistic updates: pages show a change before the gateway has confirmed it. */
export interface OptimisticUpdate {
  /** Changes a row in the lists and in its panel. */
  change<Name extends ListName>(list: Name, id: string, change: Partial<Rows[Name]>): void
  /** Removes a row from the lists. Its panel stays until the gateway responds. */
  remove(list: ListName, id: string): void
  /** Replaces the routes of one model in one group. */
  routes(group: string, model: string, routes: readonly RouteRow[]): void
  /** Changes the panel of one upstream. */
  upstream(id: string, change: (detail: UpstreamDetail) => Partial<UpstreamDetail>): void
  undo(): void
}

type RowPages = InfiniteData<{ readonly [Name in ListName]?: readonly { readonly id: string }[] }>
type RoutePages = InfiniteData<RoutesAnswer>

export function optimisticUpdate(queries: QueryClient): OptimisticUpdate {
  const former: [QueryKey, unknown][] = []
  function alter<Data>(queryKey: QueryKey, change: (data: Data) => Data): void {
    former.unshift(...queries.getQueriesData({ queryKey }))
    queries.setQueriesData<Data>({ queryKey }, (data) => data && change(data))
  }
  const alterRows = (
    list: ListName,
    next: (row: { readonly id: string }) => readonly { readonly id: string }[],
  ) =>
    alter<RowPages>([...operatorKey, 'list', list], (data) => ({
      ...data,
      pages: data.pages.map((page) => ({ ...page, [list]: page[list]?.flatMap(next) ?? [] })),
    }))
  return {
    change: (list, id, change) => {
      alterRows(list, (row) => [row.id === id ? { ...row, ...change } : row])
      alter<object>([...operatorKey, list, id], (detail) => ({
        ...detail,
        ...change,
      }))
    },
    remove: (list, id) => alterRows(list, (row) => (row.id === id ? [] : [row])),
    routes: (group, model, routes) =>
      alter<RoutePages>([...operatorKey, 'list', 'routes', { group, model }], (data) => ({
        ...data,
        pages: data.pages.map((page, index) => ({ ...page, routes: index === 0 ? routes : [] })),
      })),
    upstream: (id, change) =>
      alter<UpstreamDetail>(upstreamQuery(id).queryKey, (detail) => ({
        ...detail,
        ...change(detail),
      })),
    undo: () => {
      for (const [key, data] of former) queries.setQueryData(key, data)
    },
  }
}
