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
      // Without a network the browser reports that it is offline, but the gateway may run on this machine. A failed
      // request shows an error; a paused request shows nothing.
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
