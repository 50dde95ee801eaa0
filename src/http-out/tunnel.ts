import { BadReplyHead, ReplyHead } from '../wire/reply-head.ts'

/** The CONNECT request for one target. */
export interface Tunnel {
  /** The complete request head. */
  readonly head: string
}

const headBytesMax = 16 * 1024

/** `host` includes the port. */
export function tunnelTo(host: string, authorization: string | undefined): Tunnel {
  const field = authorization === undefined ? '' : `proxy-authorization: ${authorization}\r\n`
  return { head: `CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\n${field}\r\n` }
}

/** The value of `proxy-authorization`; undefined without a user and a password. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const userInfo = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(userInfo).toString('base64')}`
}

export type ProxyVerdict =
  | { readonly isGiven: true }
  | { readonly isGiven: false; readonly why: string }

/** The proxy's answer to CONNECT; undefined while the answer is incomplete. */
export function readProxyVerdict(bytes: Buffer): ProxyVerdict | undefined {
  const end = bytes.indexOf('\r\n\r\n', 0, 'latin1')
  if (end < 0) {
    if (bytes.length <= headBytesMax) return undefined
    return { isGiven: false, why: 'its proxy did not finish its response to CONNECT' }
  }
  try {
    const { status } = new ReplyHead(bytes.toString('latin1', 0, end + 2))
    if (status === 407)
      return { isGiven: false, why: 'its proxy refuses the user or password (HTTP 407)' }
    if (status < 200 || status > 299)
      return { isGiven: false, why: `its proxy refuses the tunnel (HTTP ${status})` }
  } catch (error) {
    if (!(error instanceof BadReplyHead)) throw error
    return { isGiven: false, why: 'its proxy does not speak HTTP' }
  }
  // The client speaks first in a tunnel. Earlier bytes cannot come from the upstream.
  if (bytes.length > end + 4)
    return { isGiven: false, why: 'its proxy sends data after its response to CONNECT' }
  return { isGiven: true }
}
