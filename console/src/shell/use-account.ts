import { useSearch } from '@tanstack/react-router'

/** The account that the pages look at; undefined means every account the user may see. */
export function useAccount(): string | undefined {
  return useSearch({ from: '/shell' }).account
}
