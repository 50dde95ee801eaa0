import { useKnownText } from './use-known-text.ts'

/** The origin of a change or a credit: a translated name for parts of the gateway, otherwise the id. */
export function useOriginText(): (origin: string) => string {
  const knownText = useKnownText()
  return (origin) => knownText(`origin.${origin}`) ?? origin
}
