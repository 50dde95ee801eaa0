import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries.ts'
import { useAccount } from './use-account.ts'

/** The account that is looked at; the first one for a page that is always about one. Undefined when there is none. */
export function useOneAccount(): string | undefined {
  const account = useAccount()
  const first = useQuery(sessionQuery).data?.accounts[0]?.id
  return account ?? first
}
