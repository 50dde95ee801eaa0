import { useDebouncedValue } from '@mantine/hooks'

const quietMs = 200

/** The typed text once the user pauses, so that not every key starts a search. */
export function useQuietText(text: string): string {
  return useDebouncedValue(text, quietMs)[0]
}
