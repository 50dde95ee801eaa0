import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { PageError } from '../../parts/feedback/page-error.tsx'
import { PagePending } from '../../parts/feedback/page-pending.tsx'
import type { DetailQuery } from '../operator-queries.ts'

/**
 * Loads one resource and shows it or its error. It never starts from the cache, because a form filled with old values
 * would restore them on saving.
 */
export function DetailLoader<Answer>(props: {
  query: DetailQuery<Answer>
  children: (answer: Answer) => ReactNode
}) {
  const { data, error, refetch, isFetchedAfterMount } = useQuery({
    ...props.query,
    refetchOnMount: 'always',
  })
  if (data !== undefined && isFetchedAfterMount) return props.children(data)
  return error ? <PageError error={error} reset={() => void refetch()} /> : <PagePending />
}
