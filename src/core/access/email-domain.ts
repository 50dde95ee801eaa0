import { domainToASCII, domainToUnicode } from 'node:url'

/** Characters that a URL parser would read as the end of a host, or drop. */
const foreign = /[\s\p{Cc}/\\?#@:%[\]<>]/u
const labels = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/
const isAscii = /^[\x21-\x7e]*$/
const charactersMax = 253

/**
 * The canonical form of a domain, in lower case and ASCII: `Bücher.example` and `xn--bcher-kva.example` are the same.
 * Undefined for text that is not a domain, and for characters that only look like others: a full-width `ｅ` is not an
 * `e` here.
 */
export function normalDomain(text: string): string | undefined {
  const domain = text.toLowerCase()
  if (foreign.test(domain)) return undefined
  const ascii = domainToASCII(domain)
  if (ascii.length > charactersMax || !labels.test(ascii)) return undefined
  if (isAscii.test(text)) return ascii === domain ? ascii : undefined
  const isExact = ascii.includes('xn--') && domainToUnicode(ascii) === domain.normalize('NFC')
  return isExact ? ascii : undefined
}

/** The domain of an email address: the part after the last @. */
export function emailDomain(email: string): string | undefined {
  const at = email.lastIndexOf('@')
  return at < 1 ? undefined : normalDomain(email.slice(at + 1))
}
