import { useSearch } from '@tanstack/react-router'

/** The selected account; undefined: all accounts that the user may see. */
export function useAccount(): string | undefined {
  return useSearch({ from: '/shell' }).account
}
