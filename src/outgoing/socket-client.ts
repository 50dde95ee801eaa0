import { isIP } from 'node:net'
import { type AddressParts, CheckedAddresses } from './checked-addresses.ts'
import { ConnectionPool } from './connection-pool.ts'
import type { Reply } from './reply.ts'
import type { StopSwitch } from './stop-switch.ts'
import { trustedRoots } from './trusted-roots.ts'

/** What an upstream says about the way to it. */
export interface Way {
  /** Certificates to trust besides the usual ones. */
  readonly ca: string | undefined
  readonly allowsPrivate: boolean
}

export interface SocketRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string
  readonly stop: StopSwitch
  readonly way: Way
  readonly connectMs: number
}

const sweepEveryMs = 5_000
/** Places that were not written to for longest are forgotten. */
const poolsMax = 1_000
const beyondAscii = /[^\0-\x7f]/

/** All of a request but its body. */
interface Prepared {
  readonly way: Way
  readonly url: string
  readonly method: string
  readonly head: string
  readonly isPlain: boolean
  readonly pool: ConnectionPool
}

/**
 * HTTP/1.1 over sockets of the main thread. The runtime's own client works on another thread: handing each request
 * over and back costs more than all of this, and it cannot tell a connection that does not open from an answer that
 * takes its time.
 */
export class SocketClient {
  readonly #pools = new Map<string, ConnectionPool>()
  /** By the headers they were made of: a route has those once for all its requests. */
  readonly #prepared = new WeakMap<Headers, Prepared>()
  readonly #parts: AddressParts

  constructor(parts: AddressParts) {
    this.#parts = parts
    setInterval(() => this.#sweep(), sweepEveryMs).unref()
  }

  send(request: SocketRequest): Promise<Reply> {
    const { method, body, stop } = request
    return new Promise((resolve, reject) => {
      const { pool, head, isPlain } = this.#prepare(request)
      const bodyBytes = Buffer.byteLength(body)
      const length = method === 'POST' ? `content-length: ${bodyBytes}\r\n` : ''
      const whole = `${head}${length}\r\n`
      pool.send({ head: whole, isPlain, body, bodyBytes, stop, resolve, reject })
    })
  }

  #prepare(request: SocketRequest): Prepared {
    const { method, url, headers, way } = request
    const known = this.#prepared.get(headers)
    if (known && known.url === url && known.method === method && known.way === way) return known
    const parsed = new URL(url)
    let head = `${method} ${parsed.pathname}${parsed.search} HTTP/1.1\r\nhost: ${parsed.host}\r\n`
    // Some firewalls take a request without this for an attack.
    if (!headers.has('user-agent')) head += 'user-agent: tollgate\r\n'
    headers.forEach((value, name) => {
      head += `${name}: ${value}\r\n`
    })
    const pool = this.#poolOf(parsed, request)
    const prepared = { way, url, method, head, isPlain: !beyondAscii.test(head), pool }
    this.#prepared.set(headers, prepared)
    return prepared
  }

  /** By what they are made of: a new snapshot of the catalogue must not close every connection. */
  #poolOf(url: URL, { way, connectMs }: SocketRequest): ConnectionPool {
    const key = JSON.stringify([url.origin, way.ca, way.allowsPrivate, connectMs])
    const pool = this.#pools.get(key) ?? openPool(url, way, connectMs, this.#parts)
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

function openPool(url: URL, way: Way, connectMs: number, parts: AddressParts): ConnectionPool {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isTls = url.protocol === 'https:'
  // Who wrote an address or "localhost" meant it.
  const isFixed = isIP(host) !== 0 || host === 'localhost'
  const checked = new CheckedAddresses(host, way.allowsPrivate, parts)
  const fixed = [host]
  const tls = {
    serverName: host.replace(/\.$/, ''),
    ...(way.ca === undefined ? {} : { ca: trustedRoots(way.ca) }),
  }
  const target = {
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    tls: isTls ? tls : undefined,
    connectMs,
    addresses: () => (isFixed ? fixed : checked.find()),
  }
  return new ConnectionPool(target, () => parts.monotonicMs())
}
