import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries.ts'

/** Whether this user may change things of an account: viewers only look. Without an account: of any. */
export function useMayChange(accountId?: string): boolean {
  const session = useQuery(sessionQuery).data
  if (session?.user?.role === 'admin') return true
  const accounts = session?.accounts ?? []
  return accounts.some(
    ({ id, role }) => role !== 'viewer' && (accountId === undefined || id === accountId),
  )
}
