import { parseAddressRange } from '../core/address-range.ts'

/** No endpoint has more; a longer path is refused before anybody splits it. */
export const segmentsMax = 24

const hostLengthMax = 255
const portMax = 65_535
/** Names as DNS and container networks have them. Commas would be two Host headers, joined by the runtime. */
const hostPattern = /^(?:([A-Za-z0-9_](?:[A-Za-z0-9._-]*))|\[([0-9A-Fa-f:.]+)\])(?::(\d{1,5}))?$/

/** Why a Host header is not one host with an optional port; undefined when all is well. */
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
  // The runtime builds the request's URL with this host; a part of the gateway that reads it must not fail.
  return URL.canParse(`http://${host}/`)
}

/** The console's back end and the admin API name things by their ids, in which there may be slashes. */
const managing = new Set(['console/api', 'admin/v1'])
/** Slashes of an id may be encoded; anywhere else an encoded slash only hides where a segment ends. */
const mayHoldSlash = new Set(['models', 'tunedModels', 'responses'])

const malformedEscape = /%(?![0-9A-Fa-f]{2})/

/**
 * Why a path could be read differently by a proxy in front and by the gateway; undefined when all is well. The
 * segments are those of the request line, percent-decoded, before anything was normalised.
 */
export function pathProblem(url: string, segments: readonly string[]): string | undefined {
  // The target of CONNECT is no path, and the runtime's URL then has no scheme.
  if (!url.startsWith('http')) return unroutable
  if (url.includes('#')) return wrong('a fragment')
  const [first = '', second = ''] = segments
  const isModelPath = first.startsWith('v1') && mayHoldSlash.has(second)
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

/** What the router could not take apart: an empty segment, too many of them, or no path at all. */
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
