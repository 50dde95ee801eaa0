import { X509Certificate } from 'node:crypto'
import { getCACertificates } from 'node:tls'
import { certificatesIn } from '../core/network/pem.ts'

/** The default roots and the operator's own. Passing `ca` replaces the default roots, so include them as well. */
export function trustedRoots(ca: string): string[] {
  const own = certificatesIn(ca)
  if (own.length === 0 || !own.every(isCertificate)) {
    throw new Error('its private CA cannot be read: it must be one or more certificates in PEM')
  }
  return [...getCACertificates('default'), ...own]
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}
