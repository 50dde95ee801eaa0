import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api/client.ts'

const triesMax = 2

/** Fires when the session has ended elsewhere. The router listens. */
export const sessionEnd = new EventTarget()

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Retry only if no response arrived. A refusal stays a refusal.
      retry: (count, error) =>
        count < triesMax && !(error instanceof ApiError && error.status !== 0),
      staleTime: 2_000,
      // The browser calls itself offline without a network, but the gateway may run on this machine. And a request
      // that fails shows an error; one that is paused shows nothing.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'not_signed_in') {
        sessionEnd.dispatchEvent(new Event('end'))
      }
    },
  }),
})
