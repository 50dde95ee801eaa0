import { useQuery } from '@tanstack/react-query'
import type { OwnAccount } from '../../../src/console-api/contract.ts'
import { sessionQuery } from '../api/queries.ts'

/** Accounts in which the user may create and change keys. */
export function useOwnAccounts(): readonly OwnAccount[] {
  const accounts = useQuery(sessionQuery).data?.accounts ?? []
  return accounts.filter(({ role }) => role !== 'viewer')
}
