import { queryOptions, useQueryClient } from '@tanstack/react-query'
import type {
  DoneAnswer,
  SetupAnswer,
  StartModelsAnswer,
  UpstreamDetail,
  UpstreamModelsAnswer,
  VendorsAnswer,
} from '../../../src/console-api/contract.ts'
import { get, post } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'

export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => get<SetupAnswer>('/setup', {}, signal),
})

export const vendorsQuery = queryOptions({
  queryKey: ['operate-vendors'],
  queryFn: ({ signal }) => get<VendorsAnswer>('/operate/vendors', {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Models of a vendor that are known with their prices. */
export const startModelsQuery = (vendor: string, baseUrl: string) =>
  queryOptions({
    queryKey: ['operate-start-models', vendor, baseUrl],
    queryFn: ({ signal }) =>
      get<StartModelsAnswer>(
        `/operate/vendors/${encodeURIComponent(vendor)}/models`,
        { baseUrl },
        signal,
      ),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The upstream that an earlier visit has connected. */
export const firstUpstreamQuery = (upstream: string | null) =>
  queryOptions({
    queryKey: ['operate-first-upstream', upstream],
    queryFn: ({ signal }) =>
      get<UpstreamDetail>(`/operate/upstreams/${encodeURIComponent(upstream ?? '')}`, {}, signal),
    enabled: upstream !== null,
  })

/** Models that the upstream itself lists. */
export const upstreamModelsQuery = (upstream: string) =>
  queryOptions({
    queryKey: ['operate-upstream-models', upstream],
    queryFn: ({ signal }) =>
      get<UpstreamModelsAnswer>(
        `/operate/upstreams/${encodeURIComponent(upstream)}/models`,
        {},
        signal,
      ),
    retry: false,
  })

/** Ends the set-up for good; every page is as it always will be afterwards. */
export function useCloseSetup(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    await post<DoneAnswer>('/setup/close')
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
  }
}
