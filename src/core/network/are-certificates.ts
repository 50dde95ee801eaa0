import { X509Certificate } from 'node:crypto'
import { certificatesIn } from './pem.ts'

/** Whether a PEM text contains at least one certificate, and all its certificates can be parsed. */
export function areCertificates(text: string): boolean {
  const found = certificatesIn(text)
  try {
    for (const each of found) new X509Certificate(each)
  } catch {
    return false
  }
  return found.length > 0
}
