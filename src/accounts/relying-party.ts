import { isIP } from 'node:net'

/** Passkeys are bound to the host name and the origin of the console. */
export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

/**
 * The origin is never taken from a request, because a visitor chooses the Host header. Without a public URL, passkeys
 * work on this machine only. Undefined where browsers do not allow passkeys: on an IP address, or without https on
 * another machine.
 */
export function relyingPartyOf(
  publicUrl: string | undefined,
  listenPort: number,
): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(publicUrl ?? `http://localhost:${listenPort}`)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[')
  if (isAddress || (protocol !== 'https:' && !isLocal)) return undefined
  return { id: hostname, origin }
}
