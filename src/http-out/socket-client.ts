import { isIP } from 'node:net'
import type { ConnectionOptions } from '../core/network/connection-options.ts'
import { longBodyLength, turns } from '../core/runtime/turns.ts'
import { type AddressDeps, CheckedAddresses } from './checked-addresses.ts'
import { ConnectionPool } from './connection-pool.ts'
import type { UpstreamResponse } from './reply.ts'
import type { StopSwitch } from './stop-switch.ts'
import { trustedRoots } from './trusted-roots.ts'
import { proxyAuthorization, tunnelTo } from './tunnel.ts'

export interface SocketRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string | readonly Uint8Array[]
  readonly stop: StopSwitch
  readonly connection: ConnectionOptions
  readonly connectMs: number
  /** Requires a new connection, even if an idle one exists. */
  readonly isFresh?: boolean
  /** See `Outgoing`. */
  readonly isUntrusted?: boolean
}

const sweepEveryMs = 5_000
/** The pools that were unused for the longest time are dropped. */
const poolsMax = 1_000
const beyondAscii = /[^\0-\x7f]/

/** A request without its body. */
interface Prepared {
  readonly connection: ConnectionOptions
  readonly url: string
  readonly method: string
  readonly head: string
  readonly isPlain: boolean
  readonly pool: ConnectionPool
}

/**
 * HTTP/1.1 over sockets on the main thread. The runtime's own client runs on another thread: passing each request there
 * and back costs more than this whole client. It also cannot distinguish a connection that does not open from an answer
 * that takes long.
 */
export class SocketClient {
  readonly #pools = new Map<string, ConnectionPool>()
  /** By headers object: a route has one for all its requests. */
  readonly #prepared = new WeakMap<Headers, Prepared>()
  readonly #deps: AddressDeps

  constructor(deps: AddressDeps) {
    this.#deps = deps
    setInterval(() => this.#sweep(), sweepEveryMs).unref()
  }

  send(request: SocketRequest): Promise<UpstreamResponse> {
    const { method, body, stop, isFresh = false } = request
    return new Promise((resolve, reject) => {
      const prepared = this.#prepare(request)
      const dispatch = ({ pool, head, isPlain }: Prepared): void => {
        const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : sumOf(body)
        const length =
          method !== 'GET' && method !== 'DELETE' ? `content-length: ${bodyBytes}\r\n` : ''
        const whole = `${head}${length}\r\n`
        pool.send({ head: whole, isPlain, body, bodyBytes, isFresh, stop, resolve, reject })
      }
      // The text of a long body is flattened here, which takes a turn of its own.
      const isLong = typeof body === 'string' && body.length > longBodyLength
      if (isLong) turns.next().then(() => dispatch(prepared), reject)
      else dispatch(prepared)
    })
  }

  #prepare(request: SocketRequest): Prepared {
    const { method, url, headers, connection, isUntrusted = false } = request
    const known = isUntrusted ? undefined : this.#prepared.get(headers)
    if (known && known.url === url && known.method === method && known.connection === connection)
      return known
    const parsed = new URL(url)
    let head = `${method} ${targetOf(parsed, connection)} HTTP/1.1\r\nhost: ${parsed.host}\r\n`
    // Some firewalls treat a request without a user agent as an attack.
    if (!headers.has('user-agent')) head += 'user-agent: tollgate\r\n'
    headers.forEach((value, name) => {
      head += `${name}: ${value}\r\n`
    })
    head += proxyField(parsed, connection)
    const pool = isUntrusted
      ? openPoolForOne(parsed, request, this.#deps)
      : this.#poolOf(parsed, request)
    const prepared = { connection, url, method, head, isPlain: !beyondAscii.test(head), pool }
    if (!isUntrusted) this.#prepared.set(headers, prepared)
    return prepared
  }

  /** Pools are found by value, so a new snapshot of the catalogue does not close every connection. */
  #poolOf(url: URL, request: SocketRequest): ConnectionPool {
    const { connection, connectMs, headers } = request
    const isForStreams = headers.get('accept') === 'text/event-stream'
    const { ca, allowsPrivate, proxy } = connection
    const key = JSON.stringify([url.origin, ca, allowsPrivate, proxy, connectMs, isForStreams])
    const pool = this.#pools.get(key) ?? openPool(url, request, isForStreams, this.#deps)
    this.#pools.delete(key)
    this.#pools.set(key, pool)
    for (const [oldKey, old] of this.#pools) {
      if (this.#pools.size <= poolsMax) break
      this.#pools.delete(oldKey)
      old.retire()
    }
    return pool
  }

  #sweep(): void {
    for (const pool of this.#pools.values()) pool.sweep()
  }
}

function sumOf(pieces: readonly Uint8Array[]): number {
  let bytes = 0
  for (const { length } of pieces) bytes += length
  return bytes
}

/** A proxy that forwards plain HTTP needs the absolute URL. */
function targetOf(
  { protocol, origin, pathname, search }: URL,
  { proxy }: ConnectionOptions,
): string {
  const path = `${pathname}${search}`
  return proxy !== undefined && protocol === 'http:' ? `${origin}${path}` : path
}

function proxyField({ protocol }: URL, { proxy }: ConnectionOptions): string {
  if (proxy === undefined || protocol !== 'http:') return ''
  const authorization = proxyAuthorization(new URL(proxy))
  return authorization === undefined ? '' : `proxy-authorization: ${authorization}\r\n`
}

/**
 * Clients may name any number of hosts. A pool of its own that keeps no connection does not displace the pools of the
 * upstreams.
 */
function openPoolForOne(url: URL, request: SocketRequest, deps: AddressDeps): ConnectionPool {
  const pool = openPool(url, request, false, deps)
  pool.retire()
  return pool
}

function openPool(
  url: URL,
  { connection, connectMs, isUntrusted = false }: SocketRequest,
  isForStreams: boolean,
  deps: AddressDeps,
): ConnectionPool {
  const { proxy, ca } = connection
  const isTls = url.protocol === 'https:'
  const tls = {
    serverName: hostOf(url).replace(/\.$/, ''),
    ...(ca === undefined ? {} : { ca: trustedRoots(ca) }),
  }
  const target = {
    connectMs,
    isForStreams,
    tls: isTls ? tls : undefined,
    ...(proxy === undefined
      ? { ...placeOf(url, connection.allowsPrivate, deps, !isUntrusted), tunnel: undefined }
      : proxiedPlaceOf(url, new URL(proxy), deps)),
  }
  return new ConnectionPool(target, () => deps.monotonicMs())
}

/**
 * The proxy resolves the upstream's name. The operator has configured the proxy, so the proxy may have a private
 * address.
 */
function proxiedPlaceOf(url: URL, proxy: URL, deps: AddressDeps) {
  const host = `${url.hostname}:${portOf(url)}`
  const isTls = url.protocol === 'https:'
  const tunnel = isTls ? tunnelTo(host, proxyAuthorization(proxy)) : undefined
  return { ...placeOf(proxy, true, deps), tunnel }
}

function placeOf(url: URL, allowsPrivate: boolean, deps: AddressDeps, isTrusted = true) {
  const host = hostOf(url)
  // An operator who writes an address or "localhost" means exactly that host.
  const isFixed = isTrusted && (isIP(host) !== 0 || host === 'localhost')
  const checked = new CheckedAddresses(host, allowsPrivate, deps)
  const fixed = [host]
  return { port: portOf(url), addresses: () => (isFixed ? fixed : checked.find()) }
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}
