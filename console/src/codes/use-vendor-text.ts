import { useCallback } from 'react'
import { useKnownText } from './use-known-text.ts'

/** The name by which people know a vendor. A vendor of another gateway version keeps its name in settings. */
export function useVendorText(): (name: string) => string {
  const knownText = useKnownText()
  return useCallback((name) => knownText(`value.vendor.${name}`) ?? name, [knownText])
}
