import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'

export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => call('GET /setup', { signal }),
})

export const vendorsQuery = queryOptions({
  queryKey: ['operate-vendors'],
  queryFn: ({ signal }) => call('GET /operate/vendors', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** A vendor's models in the built-in price list. */
export const startModelsQuery = (vendor: string, baseUrl: string) =>
  queryOptions({
    queryKey: ['operate-start-models', vendor, baseUrl],
    queryFn: ({ signal }) =>
      call('GET /operate/vendors/{id}/models', {
        params: { id: vendor },
        query: { baseUrl },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The upstream that was connected in an earlier visit. */
export const firstUpstreamQuery = (upstream: string | null) =>
  queryOptions({
    queryKey: ['operate-first-upstream', upstream],
    queryFn: ({ signal }) =>
      call('GET /operate/upstreams/{id}', { params: { id: upstream ?? '' }, signal }),
    enabled: upstream !== null,
  })

export const upstreamModelsQuery = (upstream: string) =>
  queryOptions({
    queryKey: ['operate-upstream-models', upstream],
    queryFn: ({ signal }) =>
      call('GET /operate/upstreams/{id}/models', { params: { id: upstream }, signal }),
    retry: false,
  })

/** Ends the setup permanently. */
export function useCloseSetup(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    await call('POST /setup/close', {})
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
  }
}
