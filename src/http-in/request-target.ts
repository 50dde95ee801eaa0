import { parseAddressRange } from '../core/access/address-range.ts'
import { portMax } from '../core/network/port.ts'
import { segmentsBeforeIds } from '../gateway/client-paths.ts'

/** No endpoint has more segments. A longer path is refused before it is split. */
export const segmentsMax = 24

const hostLengthMax = 255
/** Names as in DNS and container networks. A comma means that the runtime has joined two Host headers. */
const hostPattern = /^(?:([A-Za-z0-9_](?:[A-Za-z0-9._-]*))|\[([0-9A-Fa-f:.]+)\])(?::(\d{1,5}))?$/

/** Why a Host header is not one host with an optional port; undefined for a valid header. */
export function hostProblem(host: string | null): string | undefined {
  if (host === null || host === '') return 'The request has no Host header. Send exactly one.'
  return isHost(host)
    ? undefined
    : 'The Host header is not valid. Send exactly one, with a host name or address and, if needed, a port.'
}

function isHost(host: string): boolean {
  const match = host.length <= hostLengthMax ? hostPattern.exec(host) : null
  if (!match) return false
  const [, , literal, port] = match
  if (port !== undefined && Number(port) > portMax) return false
  if (literal !== undefined && parseAddressRange(literal)?.bits === undefined) return false
  // The runtime builds the request's URL with this host, and code that parses the URL must not throw.
  return URL.canParse(`http://${host}/`)
}

/** The console's back end and the admin API identify objects by ids that may contain slashes. */
const managing = new Set(['console/api', 'admin/v1'])
const malformedEscape = /%(?![0-9A-Fa-f]{2})/

/**
 * Why a proxy in front and the gateway could read the path differently; undefined for an unambiguous path. The segments
 * come from the request line, percent-decoded and not normalised.
 */
export function pathProblem(url: string, segments: readonly string[]): string | undefined {
  // The target of CONNECT is not a path, and the runtime's URL then has no scheme.
  if (!url.startsWith('http')) return unroutable
  if (url.includes('#')) return wrong('a fragment')
  const [first = '', second = ''] = segments
  // The slashes of an id may be encoded. Anywhere else an encoded slash only hides the end of a segment.
  const isModelPath = first.startsWith('v1') && segmentsBeforeIds.has(second)
  const isManaging = managing.has(`${first}/${second}`)
  for (const [index, segment] of segments.entries()) {
    if (segment === '.' || segment === '..') return wrong('a dot segment')
    if (segment.includes('\\')) return wrong('a backslash')
    if (hasControl(segment)) return wrong('a control character')
    if (!segment.includes('/')) continue
    const mayHold = isModelPath ? index >= 2 : isManaging && index >= 3
    if (!mayHold) return wrong('an encoded slash')
    if (segment.split('/').some(isDotOrEmpty)) return wrong('a dot segment or an empty one')
  }
  if (!url.includes('%')) return undefined
  return malformedEscape.test(url) ? wrong('a percent sign without two digits') : undefined
}

/** The router could not split the path: an empty segment, too many segments, or no path at all. */
export const unroutable =
  'The request target has an empty segment (two slashes in a row), or more segments than any endpoint. Remove a slash from the base URL if the base URL that your client is configured with ends in a slash, and the client adds another.'

function isDotOrEmpty(part: string): boolean {
  return part === '' || part === '.' || part === '..'
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

function wrong(what: string): string {
  return `The request target has ${what}. Send the path of an endpoint as the documentation writes it.`
}
