import { useKnownText } from './use-known-text.ts'

/** Who or what made a change or a credit: a part of the gateway in the reader's language, anybody else by id. */
export function useOriginText(): (origin: string) => string {
  const knownText = useKnownText()
  return (origin) => knownText(`origin.${origin}`) ?? origin
}
