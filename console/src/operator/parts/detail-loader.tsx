import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { PageError } from '../../parts/page-error.tsx'
import { PagePending } from '../../parts/page-pending.tsx'
import type { DetailQuery } from '../operator-queries.ts'

/**
 * Waits for one thing, and shows it, or why it cannot be shown. It is always asked for anew, because a form that
 * began with what was known from before would put that back.
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
