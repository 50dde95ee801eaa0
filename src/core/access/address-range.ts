/** An address or network such as `10.0.0.0/8`, `::1` or `2001:db8::/32`. */
export interface AddressRange {
  readonly bits: 32 | 128
  readonly network: bigint
  readonly prefixLength: number
}

interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
  /** For an IPv4 address written inside an IPv6 address: the number of bits before the IPv4 part. Otherwise 0. */
  readonly bitsBefore: number
}

const mappedBits = 96

export function parseAddressRange(text: string): AddressRange | undefined {
  const [address = '', prefixText, ...rest] = text.split('/')
  const parsed = parseAddress(address)
  if (!parsed || rest.length > 0) return undefined
  if (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText)) return undefined
  const prefixLength =
    prefixText === undefined ? parsed.bits : Number(prefixText) - parsed.bitsBefore
  if (prefixLength < 0 || prefixLength > parsed.bits) return undefined
  const shift = BigInt(parsed.bits - prefixLength)
  return { bits: parsed.bits, network: (parsed.value >> shift) << shift, prefixLength }
}

export function isInRange(address: string, range: AddressRange): boolean {
  const parsed = parseAddress(address)
  if (!parsed || parsed.bits !== range.bits) return false
  const shift = BigInt(range.bits - range.prefixLength)
  return parsed.value >> shift === range.network >> shift
}

/** Whether every address of the second range is in the first. */
export function isWithinRange(outer: AddressRange, inner: AddressRange): boolean {
  if (outer.bits !== inner.bits || outer.prefixLength > inner.prefixLength) return false
  const shift = BigInt(outer.bits - outer.prefixLength)
  return inner.network >> shift === outer.network >> shift
}

/** Writes the form that `parseAddressRange` reads. A single address has no prefix length. */
export function formatAddressRange({ bits, network, prefixLength }: AddressRange): string {
  const address = bits === 32 ? ipv4Text(network) : ipv6Text(network)
  return prefixLength === bits ? address : `${address}/${prefixLength}`
}

function ipv4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')
}

function ipv6Text(value: bigint): string {
  const digits = value.toString(16).padStart(32, '0')
  // URL writes an IPv6 address in its canonical short form.
  return new URL(`http://[${digits.match(/.{4}/g)?.join(':')}]`).hostname.slice(1, -1)
}

/**
 * An IPv4 address inside IPv6 (`::ffff:10.0.0.1`) counts as IPv4, because dual-stack sockets report IPv4 peers in this
 * form.
 */
function parseAddress(text: string): Address | undefined {
  const ipv4 = readIpv4(text)
  if (ipv4 !== undefined) return { bits: 32, value: ipv4, bitsBefore: 0 }
  const ipv6 = readIpv6(text)
  if (ipv6 === undefined) return undefined
  return ipv6 >> 32n === 0xffffn
    ? { bits: 32, value: ipv6 & 0xffffffffn, bitsBefore: mappedBits }
    : { bits: 128, value: ipv6, bitsBefore: 0 }
}

/** Leading zeros are refused: some programs read `010` as eight, and an address list must have one meaning. */
function readIpv4(text: string): bigint | undefined {
  if (!/^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/.test(text)) return undefined
  const parts = text.split('.').map(Number)
  if (parts.some((part) => part > 255)) return undefined
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n)
}

function readIpv6(text: string): bigint | undefined {
  const tailStart = text.lastIndexOf(':') + 1
  const embedded = readIpv4(text.slice(tailStart))
  const plain =
    embedded === undefined
      ? text
      : `${text.slice(0, tailStart)}${(embedded >> 16n).toString(16)}:${(embedded & 0xffffn).toString(16)}`
  const halves = plain.split('::')
  if (halves.length > 2) return undefined
  const [head = [], after = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - head.length - after.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...head, ...Array<string>(missing).fill('0'), ...after]
  if (groups.some((group) => !/^[0-9a-fA-F]{1,4}$/.test(group))) return undefined
  return groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n)
}
