import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api/client.ts'

const triesMax = 2

/** Told when the session has ended elsewhere; the router listens. */
export const sessionEnd = new EventTarget()

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal is an answer; only what never arrived is worth asking for again.
      retry: (count, error) =>
        count < triesMax && !(error instanceof ApiError && error.status !== 0),
      staleTime: 2_000,
    },
  },
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'not_signed_in') {
        sessionEnd.dispatchEvent(new Event('end'))
      }
    },
  }),
})
