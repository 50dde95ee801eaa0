import { BadReplyHead, ReplyHead } from '../wire/reply-head.ts'

/** How a proxy is asked to lead through to a place. */
export interface Tunnel {
  /** The whole question. */
  readonly head: string
}

const assentBytesMax = 16 * 1024

/** `host` with its port. */
export function tunnelTo(host: string, authorization: string | undefined): Tunnel {
  const field = authorization === undefined ? '' : `proxy-authorization: ${authorization}\r\n`
  return { head: `CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\n${field}\r\n` }
}

/** What a proxy that is asked like this wants to see of its user. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const words = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(words).toString('base64')}`
}

export type Assent = { readonly isGiven: true } | { readonly isGiven: false; readonly why: string }

/** What a proxy has answered; undefined while that is not whole. */
export function readAssent(bytes: Buffer): Assent | undefined {
  const end = bytes.indexOf('\r\n\r\n', 0, 'latin1')
  if (end < 0) {
    if (bytes.length <= assentBytesMax) return undefined
    return { isGiven: false, why: 'its proxy does not come to an end' }
  }
  try {
    const { status } = new ReplyHead(bytes.toString('latin1', 0, end + 2))
    if (status === 407)
      return { isGiven: false, why: 'its proxy refuses the user or password (HTTP 407)' }
    if (status < 200 || status > 299)
      return { isGiven: false, why: `its proxy does not lead through (HTTP ${status})` }
  } catch (error) {
    if (!(error instanceof BadReplyHead)) throw error
    return { isGiven: false, why: 'its proxy does not speak HTTP' }
  }
  // Who is led through speaks first; whatever comes before that is not the upstream's.
  if (bytes.length > end + 4) return { isGiven: false, why: 'its proxy says more than it should' }
  return { isGiven: true }
}
