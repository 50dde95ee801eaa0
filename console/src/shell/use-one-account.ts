import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries.ts'
import { useAccount } from './use-account.ts'

/** The selected account, or the first one for a page about one account. Undefined if there is none. */
export function useOneAccount(): string | undefined {
  const account = useAccount()
  const first = useQuery(sessionQuery).data?.accounts[0]?.id
  return account ?? first
}
