import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import type { AddressRange } from '../core/access/address-range.ts'
import { isTrusted } from './client-address.ts'
import { isLoopback } from './metrics-access.ts'
import { openSockets, type SocketCalls } from './socket-calls.ts'

const everyMs = 1_000
const descriptorsFolder = '/proc/self/fd'
/** The limit that `auto` means. */
const perAddressByDefault = 1_024
/** Descriptors that are checked in one turn of the event loop. */
const descriptorsATurn = 500
/** The remaining file descriptors are for the database, the journal and upstreams. */
const filesShare = 0.9

export interface ConnectionRules {
  readonly port: number
  readonly perAddressMax: number | 'auto'
  readonly max: number
  readonly trustedProxies: readonly AddressRange[]
  onClosed(closed: { readonly count: number; readonly reason: string }): void
}

interface Connection {
  readonly descriptor: number
  /** Address and port. They identify the connection, because the system reuses descriptors. */
  readonly peer: string
  readonly address: string
  readonly isNew: boolean
}

/**
 * Closes connections beyond the limits, newest first. The runtime does not report a connection that has not sent a
 * request, so the process checks its own sockets once a second. The check is skipped while fewer files are open than
 * either limit. Without Linux's `/proc` there is no limit.
 */
export class ConnectionLimits {
  readonly #rules: ConnectionRules
  readonly #max: number
  readonly #perAddressMax: number
  readonly #timer: ReturnType<typeof setInterval>
  #calls: Promise<SocketCalls | undefined> | undefined
  #known = new Map<number, string>()
  #isChecking = false

  constructor(rules: ConnectionRules) {
    this.#rules = rules
    this.#max = Math.min(rules.max, Math.floor(filesAllowed() * filesShare))
    const perAddress = rules.perAddressMax === 'auto' ? perAddressByDefault : rules.perAddressMax
    this.#perAddressMax = perAddress === 0 ? Number.POSITIVE_INFINITY : perAddress
    this.#timer = setInterval(() => void this.look(), everyMs)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async look(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    try {
      const names = await readdir(descriptorsFolder).catch(() => [])
      if (names.length <= Math.min(this.#max, this.#perAddressMax)) this.#known.clear()
      else await this.#close(names.map(Number))
    } finally {
      this.#isChecking = false
    }
  }

  async #close(descriptors: readonly number[]): Promise<void> {
    this.#calls ??= openSockets()
    const calls = await this.#calls
    if (!calls) return
    const connections = await this.#list(descriptors, calls)
    const byAddress = Map.groupBy(connections, ({ address }) => address)
    let total = connections.length
    const closeAll = (surplus: readonly Connection[], reason: string) => {
      let count = 0
      for (const each of surplus) {
        if (!this.#shut(each, calls)) continue
        count += 1
        total -= 1
      }
      if (count > 0) this.#rules.onClosed({ count, reason })
    }
    for (const [address, connections] of byAddress) {
      if (connections.length <= this.#perAddressMax || this.#isExempt(address)) continue
      const surplus = oldestFirst(connections).slice(this.#perAddressMax)
      byAddress.set(address, oldestFirst(connections).slice(0, this.#perAddressMax))
      closeAll(surplus, 'connectionsPerAddressMax')
    }
    const largestFirst = [...byAddress.values()].sort((left, right) => right.length - left.length)
    for (const connections of largestFirst) {
      if (total <= this.#max) break
      const keep = Math.max(0, connections.length - (total - this.#max))
      closeAll(oldestFirst(connections).slice(keep), 'connectionsMax')
    }
  }

  async #list(descriptors: readonly number[], calls: SocketCalls): Promise<Connection[]> {
    const connections: Connection[] = []
    const known = new Map<number, string>()
    for (const [index, descriptor] of descriptors.entries()) {
      if (index % descriptorsATurn === descriptorsATurn - 1) await nextTurn()
      const peer = calls.peerOf(descriptor, this.#rules.port)
      if (!peer) continue
      const name = `${peer.address} ${peer.port}`
      const isNew = this.#known.get(descriptor) !== name
      connections.push({ descriptor, peer: name, address: peer.address, isNew })
      known.set(descriptor, name)
    }
    this.#known = known
    return connections
  }

  /**
   * The sockets of the listener belong to the event loop of this thread, so a descriptor cannot be closed and reused
   * between these two calls.
   */
  #shut({ descriptor, peer }: Connection, calls: SocketCalls): boolean {
    const now = calls.peerOf(descriptor, this.#rules.port)
    if (!now || `${now.address} ${now.port}` !== peer) return false
    calls.shutDown(descriptor)
    this.#known.delete(descriptor)
    return true
  }

  #isExempt(address: string): boolean {
    if (this.#rules.perAddressMax === 'auto' && isLoopback(address)) return true
    return isTrusted(address, this.#rules.trustedProxies)
  }
}

function oldestFirst(connections: readonly Connection[]): Connection[] {
  return connections.toSorted((left, right) => Number(left.isNew) - Number(right.isNew))
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

function filesAllowed(): number {
  try {
    const text = readFileSync('/proc/self/limits', 'utf8')
    const allowed = Number(/^Max open files\s+(\d+)/m.exec(text)?.[1])
    return allowed > 0 ? allowed : Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
