import { createHash } from 'node:crypto'

/** An image by its bytes, whatever alphabet they are written in, or by its address. */
export function imageGist(base64OrUrl: string): string {
  const comma = base64OrUrl.startsWith('data:') ? base64OrUrl.indexOf(',') : -1
  if (comma < 0 && /^[a-z][a-z0-9+.-]*:/i.test(base64OrUrl)) return base64OrUrl
  // This decoder takes both alphabets, and does not mind padding or line breaks.
  const bytes = Buffer.from(decodeURIComponent(base64OrUrl.slice(comma + 1)), 'base64')
  return `${bytes.length} bytes ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`
}
