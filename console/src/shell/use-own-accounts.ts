import { useQuery } from '@tanstack/react-query'
import type { OwnAccount } from '../../../src/console-api/contract.ts'
import { sessionQuery } from '../api/queries.ts'

/** The accounts in which this user may make and change keys. */
export function useOwnAccounts(): readonly OwnAccount[] {
  const accounts = useQuery(sessionQuery).data?.accounts ?? []
  return accounts.filter(({ role }) => role !== 'viewer')
}
