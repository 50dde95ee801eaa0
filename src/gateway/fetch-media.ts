import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { Fault } from '../core/fault.ts'
import { isPublicAddress } from '../outgoing/public-address.ts'
import { resolveName } from '../outgoing/resolve-name.ts'
import { orAborted } from './or-aborted.ts'
import { pinnedGet } from './pinned-get.ts'
import { sniffMime } from './sniff-mime.ts'

export interface MediaLimits {
  readonly bytesMax: number
  /** For everything together: names, redirects and the file itself. */
  readonly timeoutMs: number
  readonly redirectsMax: number
  /** Reaches addresses that are not public: for tests, and for operators whose files are in their own network. */
  readonly allowPrivate: boolean
}

export interface MediaParts {
  /** All addresses of a name. */
  resolve(name: string): Promise<readonly string[]>
  isPublic(address: string): boolean
}

const usualLimits: MediaLimits = {
  bytesMax: 20 * 1024 * 1024,
  timeoutMs: 10_000,
  redirectsMax: 3,
  allowPrivate: false,
}

const systemParts: MediaParts = {
  resolve: resolveName,
  isPublic: isPublicAddress,
}

/**
 * Fetches a file for an upstream that does not fetch by itself. The address comes from a caller, so it is not
 * trusted: every address of its name must be public, and exactly those are connected to.
 */
export async function fetchMedia(
  url: string,
  limits: Partial<MediaLimits> = {},
  parts: Partial<MediaParts> = {},
): Promise<{ mime: string; base64: string }> {
  const inForce = { ...usualLimits, ...limits }
  const signal = AbortSignal.timeout(inForce.timeoutMs)
  const place = readPlace(url)
  try {
    const response = await follow(place, inForce, { ...systemParts, ...parts }, signal)
    const bytes = await readBody(place, response, inForce.bytesMax)
    const mime = sniffMime(bytes)
    if (mime === undefined) {
      throw refusal(place, 'is neither an image nor a PDF, audio or video file that is understood')
    }
    return { mime, base64: bytes.toString('base64') }
  } catch (error) {
    if (error instanceof Fault) throw error
    if (signal.aborted) throw refusal(place, 'did not arrive in time', error)
    throw refusal(place, 'cannot be reached', error)
  }
}

async function follow(
  first: URL,
  limits: MediaLimits,
  parts: MediaParts,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  let url = first
  for (let hops = 0; hops <= limits.redirectsMax; hops += 1) {
    const addresses = await orAborted(findAddresses(url, limits, parts), signal)
    const response = await pinnedGet({ url, addresses, signal })
    const { statusCode = 0, headers } = response
    if (statusCode === 200) return response
    response.destroy()
    if (statusCode < 300 || statusCode > 399 || headers.location === undefined) {
      throw refusal(url, `answered HTTP ${statusCode}`)
    }
    url = readPlace(headers.location, url)
  }
  throw refusal(first, `redirects more than ${limits.redirectsMax} times`)
}

/** The addresses to connect to; refuses when a single one of them is not public. */
async function findAddresses(
  url: URL,
  { allowPrivate }: MediaLimits,
  parts: MediaParts,
): Promise<readonly string[]> {
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const addresses = isIP(name) === 0 ? await parts.resolve(name) : [name]
  if (addresses.length === 0) throw refusal(url, 'has no address')
  if (!allowPrivate && !addresses.every(parts.isPublic)) {
    throw refusal(url, 'is not at a public address')
  }
  return addresses
}

async function readBody(url: URL, response: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const tooLarge = () => refusal(url, `is larger than ${Math.floor(bytesMax / 1024 / 1024)} MiB`)
  if (Number(response.headers['content-length'] ?? 0) > bytesMax) {
    response.destroy()
    throw tooLarge()
  }
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of response as AsyncIterable<Uint8Array>) {
    length += piece.length
    if (length > bytesMax) throw tooLarge()
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function readPlace(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isWeb || url.username !== '' || url.password !== '') {
    throw new Fault(
      'invalid_request',
      'The address of an image or file must be http:// or https:// without a user name.',
    )
  }
  return url
}

/** Only the host is named: the rest of an address may hold somebody's token. */
function refusal({ host }: URL, what: string, cause?: unknown): Fault {
  const operatorMessage = cause instanceof Error ? cause.message : undefined
  return new Fault('invalid_request', `The file at ${host} ${what}.`, {
    cause,
    ...(operatorMessage !== undefined && { operatorMessage }),
  })
}
