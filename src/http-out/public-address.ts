import { type AddressRange, isInRange, parseAddressRange } from '../core/access/address-range.ts'

/** Only global unicast IPv6 is public, and some blocks within it are not. */
const globalUnicast = ranges('2000::/3')
const reserved = ranges(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  // Tunnels that embed an IPv4 address, documentation, identifiers.
  '2001::/23 2001:db8::/32 2002::/16 3fff::/20',
)

/**
 * Whether an address is on the public internet. A caller must not be able to reach any other address (this machine, its
 * network, a cloud's metadata service). An unreadable address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddressRange(address)
  if (!parsed || address.includes('/')) return false
  const isCandidate = parsed.bits === 32 || globalUnicast.some((range) => isInRange(address, range))
  return isCandidate && !reserved.some((range) => isInRange(address, range))
}

function ranges(...lines: readonly string[]): AddressRange[] {
  return lines.flatMap((line) =>
    line.split(' ').flatMap((text) => {
      const range = parseAddressRange(text)
      return range ? [range] : []
    }),
  )
}
