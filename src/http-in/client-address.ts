import { type AddressRange, isInRange } from '../core/access/address-range.ts'

/**
 * The client's address: the TCP peer, unless the peer is a trusted proxy. Then the forwarded list is read from the
 * right, skipping further trusted proxies. Everything to the left of the first untrusted address could be forged.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | null,
  trustedProxies: readonly AddressRange[],
): string {
  const plainPeer = withoutMapping(peer)
  if (forwardedFor === null || trustedProxies.length === 0) return plainPeer
  let address = plainPeer
  const hops = forwardedFor.split(',').map((hop) => withoutPort(hop.trim()))
  while (isTrusted(address, trustedProxies)) {
    const hop = hops.pop()
    if (hop === undefined || hop === '') break
    address = withoutMapping(hop)
  }
  return address
}

export function isTrusted(address: string, trustedProxies: readonly AddressRange[]): boolean {
  return trustedProxies.some((range) => isInRange(address, range))
}

function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.')
    ? address.slice('::ffff:'.length)
    : address
}

/** Some proxies add a port: `10.0.0.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)
  if (bracketed?.[1] !== undefined) return bracketed[1]
  return /^[^:]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(':')) : hop
}
