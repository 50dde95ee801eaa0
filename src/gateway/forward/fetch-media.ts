import { Fault } from '../../core/fault.ts'
import type { SendHttp } from '../../http-out/outgoing-http.ts'
import { OutgoingFailure, type UpstreamResponse } from '../../http-out/reply.ts'
import type { StopSwitch } from '../../http-out/stop-switch.ts'
import { stopOn } from '../../http-out/stop-switch.ts'
import { Base64Sink, base64Length } from './base64-sink.ts'
import { sniffedBytes, sniffMime } from './sniff-mime.ts'

export interface MediaLimits {
  readonly bytesMax: number
  /** The time limit for name resolution, redirects and the file together. */
  readonly timeoutMs: number
  readonly redirectsMax: number
  /** Allows addresses that are not public: for tests, and for operators with files in their own network. */
  readonly allowPrivate: boolean
}

const usualLimits: MediaLimits = {
  bytesMax: 20 * 1024 * 1024,
  timeoutMs: 10_000,
  redirectsMax: 3,
  allowPrivate: false,
}

const headers = new Headers({
  accept: '*/*',
  'accept-encoding': 'identity',
  connection: 'close',
})

/** A fetched file. Its base64 text is kept in blocks, as it goes into the body for the upstream. */
export interface MediaFile {
  readonly mime: string
  readonly base64: readonly Uint8Array[]
  readonly base64Bytes: number
}

/** The request that fetches a file. It may not hold more bytes than it is granted. */
export interface MediaRequester {
  readonly signal: AbortSignal
  /** Called before this many bytes of base64 are kept. Throws to refuse. */
  take(bytes: number): void
}

const noRequester: MediaRequester = { signal: new AbortController().signal, take: () => undefined }

/**
 * Fetches a file for an upstream that does not fetch files itself. The URL comes from a client and is not trusted:
 * every address of its host must be public, and the gateway connects only to these addresses.
 */
export async function fetchMedia(
  url: string,
  send: SendHttp,
  limits: Partial<MediaLimits> = {},
  requester: MediaRequester = noRequester,
): Promise<MediaFile> {
  const inForce = { ...usualLimits, ...limits }
  const signal = AbortSignal.any([AbortSignal.timeout(inForce.timeoutMs), requester.signal])
  const target = parseUrl(url)
  try {
    const response = await follow(target, send, inForce, stopOn(signal))
    return await readBody(target, response, inForce.bytesMax, requester)
  } catch (error) {
    if (error instanceof Fault) throw error
    if (signal.aborted || failureOf(error) === 'connect_timeout') {
      throw refusal(target, 'did not arrive in time', error)
    }
    throw refusal(target, 'cannot be reached', error)
  }
}

async function follow(
  first: URL,
  send: SendHttp,
  limits: MediaLimits,
  stop: StopSwitch,
): Promise<UpstreamResponse> {
  let url = first
  for (let hops = 0; hops <= limits.redirectsMax; hops += 1) {
    const response = await get(url, send, limits, stop)
    const { status } = response
    if (status === 200) return response
    response.body.cancel()
    const location = response.headers.get('location')
    if (status < 300 || status > 399 || location === null) {
      throw refusal(url, `answered HTTP ${status}`)
    }
    url = parseUrl(location, url)
  }
  throw refusal(first, `redirects more than ${limits.redirectsMax} times`)
}

async function get(
  url: URL,
  send: SendHttp,
  { allowPrivate, timeoutMs }: MediaLimits,
  stop: StopSwitch,
): Promise<UpstreamResponse> {
  const connection = { proxy: undefined, ca: undefined, allowsPrivate: allowPrivate }
  try {
    return await send({
      method: 'GET',
      url: url.href,
      headers,
      body: undefined,
      stop,
      connection,
      connectMs: timeoutMs,
      isUntrusted: true,
    })
  } catch (error) {
    if (failureOf(error) !== 'address_refused') throw error
    throw refusal(url, 'is not at a public address', error)
  }
}

function failureOf(error: unknown): string | undefined {
  return error instanceof OutgoingFailure ? error.kind : undefined
}

/** Keeps only the base64 text, encoded as the bytes arrive. A file that is not a medium is not read to its end. */
async function readBody(
  url: URL,
  { headers: replied, body }: UpstreamResponse,
  bytesMax: number,
  requester: MediaRequester,
): Promise<MediaFile> {
  const tooLarge = () => refusal(url, `is larger than ${Math.floor(bytesMax / 1024 / 1024)} MiB`)
  const sink = new Base64Sink()
  let head: Uint8Array = new Uint8Array()
  let length = 0
  try {
    if (Number(replied.get('content-length') ?? 0) > bytesMax) throw tooLarge()
    if ((replied.get('content-encoding') ?? 'identity') !== 'identity') {
      throw refusal(url, 'is compressed, although the gateway asked for no compression')
    }
    for (let piece = await body.read(); piece; piece = await body.read()) {
      const before = length
      length += piece.length
      if (length > bytesMax) throw tooLarge()
      requester.take(base64Length(length) - base64Length(before))
      const isDecided = head.length >= sniffedBytes
      if (!isDecided) head = Buffer.concat([head, piece.subarray(0, sniffedBytes - head.length)])
      if (!isDecided && head.length >= sniffedBytes) requireMime(url, head)
      sink.push(piece)
    }
  } finally {
    body.cancel()
  }
  sink.end()
  return { mime: requireMime(url, head), base64: sink.blocks, base64Bytes: sink.length }
}

function requireMime(url: URL, head: Uint8Array): string {
  const mime = sniffMime(head)
  if (mime !== undefined) return mime
  throw refusal(url, 'is not an image, PDF, audio or video file of a supported type')
}

function parseUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isWeb || url.username !== '' || url.password !== '') {
    throw new Fault(
      'invalid_request',
      'The URL of an image or file must start with http:// or https:// and contain no user name.',
    )
  }
  return url
}

/** Names only the host: the rest of a URL may contain a token. */
function refusal({ host }: URL, what: string, cause?: unknown): Fault {
  // The message of a refused address gives advice about upstreams, which does not apply here.
  const isPlain = cause instanceof Error && failureOf(cause) !== 'address_refused'
  const operatorMessage = isPlain ? cause.message : undefined
  return new Fault('invalid_request', `The file at ${host} ${what}.`, {
    cause,
    ...(operatorMessage !== undefined && { operatorMessage }),
  })
}
