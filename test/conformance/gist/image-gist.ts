import { createHash } from 'node:crypto'

/** An image by its bytes, in either base64 alphabet, or by its URL. */
export function imageGist(base64OrUrl: string): string {
  const comma = base64OrUrl.startsWith('data:') ? base64OrUrl.indexOf(',') : -1
  if (comma < 0 && /^[a-z][a-z0-9+.-]*:/i.test(base64OrUrl)) return base64OrUrl
  // This decoder accepts both alphabets, with or without padding and line breaks.
  const bytes = Buffer.from(decodeURIComponent(base64OrUrl.slice(comma + 1)), 'base64')
  return `${bytes.length} bytes ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`
}
