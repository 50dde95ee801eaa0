import { X509Certificate } from 'node:crypto'
import { certificatesIn } from './pem.ts'

/** Whether all certificates of a PEM text, of which there is at least one, can be read. */
export function areCertificates(text: string): boolean {
  const found = certificatesIn(text)
  try {
    for (const each of found) new X509Certificate(each)
  } catch {
    return false
  }
  return found.length > 0
}
