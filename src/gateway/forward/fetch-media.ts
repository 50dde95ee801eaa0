import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { Fault } from '../../core/fault.ts'
import { pinnedGet } from '../../http-out/pinned-get.ts'
import { isPublicAddress } from '../../http-out/public-address.ts'
import { resolveName } from '../../http-out/resolve-name.ts'
import { Base64Sink, base64Length } from './base64-sink.ts'
import { orAborted } from './or-aborted.ts'
import { sniffedBytes, sniffMime } from './sniff-mime.ts'

export interface MediaLimits {
  readonly bytesMax: number
  /** For name resolution, redirects and the file together. */
  readonly timeoutMs: number
  readonly redirectsMax: number
  /** Allows addresses that are not public: for tests, and for operators with files in their own network. */
  readonly allowPrivate: boolean
}

export interface MediaDeps {
  /** All addresses of a host name. */
  resolve(name: string): Promise<readonly string[]>
  isPublic(address: string): boolean
}

const usualLimits: MediaLimits = {
  bytesMax: 20 * 1024 * 1024,
  timeoutMs: 10_000,
  redirectsMax: 3,
  allowPrivate: false,
}

const systemParts: MediaDeps = {
  resolve: resolveName,
  isPublic: isPublicAddress,
}

/** A fetched file. Its base64 text is kept in blocks, as it goes into the body for the upstream. */
export interface Medium {
  readonly mime: string
  readonly base64: readonly Uint8Array[]
  readonly base64Bytes: number
}

/** The request that fetches a file. It may not hold more bytes than it is granted. */
export interface MediaTaker {
  readonly signal: AbortSignal
  /** Called before this many bytes of base64 are kept. Throws to refuse. */
  take(bytes: number): void
}

const anyTaker: MediaTaker = { signal: new AbortController().signal, take: () => undefined }

/**
 * Fetches a file for an upstream that does not fetch files itself. The URL comes from a client and is not trusted:
 * every address of its host must be public, and the gateway connects only to these addresses.
 */
export async function fetchMedia(
  url: string,
  limits: Partial<MediaLimits> = {},
  deps: Partial<MediaDeps> = {},
  taker: MediaTaker = anyTaker,
): Promise<Medium> {
  const inForce = { ...usualLimits, ...limits }
  const signal = AbortSignal.any([AbortSignal.timeout(inForce.timeoutMs), taker.signal])
  const target = parseUrl(url)
  try {
    const response = await follow(target, inForce, { ...systemParts, ...deps }, signal)
    return await readBody(target, response, inForce.bytesMax, taker)
  } catch (error) {
    if (error instanceof Fault) throw error
    if (signal.aborted) throw refusal(target, 'did not arrive in time', error)
    throw refusal(target, 'cannot be reached', error)
  }
}

async function follow(
  first: URL,
  limits: MediaLimits,
  deps: MediaDeps,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  let url = first
  for (let hops = 0; hops <= limits.redirectsMax; hops += 1) {
    const addresses = await orAborted(findAddresses(url, limits, deps), signal)
    const response = await pinnedGet({ url, addresses, signal })
    const { statusCode = 0, headers } = response
    if (statusCode === 200) return response
    response.destroy()
    if (statusCode < 300 || statusCode > 399 || headers.location === undefined) {
      throw refusal(url, `answered HTTP ${statusCode}`)
    }
    url = parseUrl(headers.location, url)
  }
  throw refusal(first, `redirects more than ${limits.redirectsMax} times`)
}

/** The addresses to connect to. Throws when any of them is not public. */
async function findAddresses(
  url: URL,
  { allowPrivate }: MediaLimits,
  deps: MediaDeps,
): Promise<readonly string[]> {
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const addresses = isIP(name) === 0 ? await deps.resolve(name) : [name]
  if (addresses.length === 0) throw refusal(url, 'has no address')
  if (!allowPrivate && !addresses.every(deps.isPublic)) {
    throw refusal(url, 'is not at a public address')
  }
  return addresses
}

/** Keeps only the base64 text, encoded as the bytes arrive. A file that is not a medium is not read to its end. */
async function readBody(
  url: URL,
  response: IncomingMessage,
  bytesMax: number,
  taker: MediaTaker,
): Promise<Medium> {
  const tooLarge = () => refusal(url, `is larger than ${Math.floor(bytesMax / 1024 / 1024)} MiB`)
  if (Number(response.headers['content-length'] ?? 0) > bytesMax) {
    response.destroy()
    throw tooLarge()
  }
  const coding = response.headers['content-encoding'] ?? 'identity'
  if (coding !== 'identity') {
    response.destroy()
    throw refusal(url, 'is compressed, although the gateway asked for no compression')
  }
  const sink = new Base64Sink()
  let head: Uint8Array = new Uint8Array()
  let length = 0
  try {
    for await (const piece of response as AsyncIterable<Uint8Array>) {
      const before = length
      length += piece.length
      if (length > bytesMax) throw tooLarge()
      taker.take(base64Length(length) - base64Length(before))
      const isDecided = head.length >= sniffedBytes
      if (!isDecided) head = Buffer.concat([head, piece.subarray(0, sniffedBytes - head.length)])
      if (!isDecided && head.length >= sniffedBytes) requireMime(url, head)
      sink.push(piece)
    }
  } finally {
    response.destroy()
  }
  sink.end()
  return { mime: requireMime(url, head), base64: sink.blocks, base64Bytes: sink.length }
}

function requireMime(url: URL, head: Uint8Array): string {
  const mime = sniffMime(head)
  if (mime !== undefined) return mime
  throw refusal(url, 'is neither an image nor a PDF, audio or video file that is understood')
}

function parseUrl(text: string, base?: URL): URL {
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

/** Names only the host: the rest of a URL may contain a token. */
function refusal({ host }: URL, what: string, cause?: unknown): Fault {
  const operatorMessage = cause instanceof Error ? cause.message : undefined
  return new Fault('invalid_request', `The file at ${host} ${what}.`, {
    cause,
    ...(operatorMessage !== undefined && { operatorMessage }),
  })
}
