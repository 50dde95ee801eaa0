import { X509Certificate } from 'node:crypto'

const certificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/** Only the certificates of a PEM text: a private key beside them is nobody's business. Undefined when there is none. */
export function certificatesIn(text: string): string | undefined {
  const found = text.match(certificate) ?? []
  try {
    for (const each of found) new X509Certificate(each)
  } catch {
    return undefined
  }
  return found.length === 0 ? undefined : `${found.join('\n')}\n`
}
