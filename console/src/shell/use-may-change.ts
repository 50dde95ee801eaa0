import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries.ts'

/** Whether the user may change an account; viewers may not. Without an id: any account. */
export function useMayChange(accountId?: string): boolean {
  const session = useQuery(sessionQuery).data
  if (session?.user?.role === 'admin') return true
  const accounts = session?.accounts ?? []
  return accounts.some(
    ({ id, role }) => role !== 'viewer' && (accountId === undefined || id === accountId),
  )
}
