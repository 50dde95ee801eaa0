import type { SQL } from 'bun'
import type { PoolLimits } from './connect.ts'
import type { PostgresHosts } from './postgres-hosts.ts'

/** How long `close` waits for a silent server. */
const unlistenMs = 1_000

/** Delay before the next attempt when the server rejects LISTEN, as a standby does. */
const againMs = 2_000

/**
 * Receives notifications on a connection of its own. The client reconnects when the server closes the connection. A
 * connection whose packets are lost looks like one without notifications; when other connections find the server
 * silent, this one is renewed as well. Callers that need certainty also poll. Behind a pooler polling is all there is:
 * LISTEN needs a session.
 */
export class PostgresListener {
  readonly #hosts: PostgresHosts
  readonly #limits: PoolLimits
  readonly #channel: string
  readonly #callbacks: (() => void)[] = []
  #connecting: Promise<SQL> | undefined
  #opening: Promise<{ unlisten(): Promise<void> }> | undefined
  #again: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(hosts: PostgresHosts, limits: PoolLimits, channel: string) {
    this.#hosts = hosts
    this.#limits = limits
    this.#channel = channel
  }

  async listen(callback: () => void): Promise<void> {
    this.#callbacks.push(callback)
    if (!this.#connecting && this.#hosts.hasSessions) await this.#open()
  }

  renew(): void {
    if (!this.#connecting || this.#isClosed) return
    closeNow(this.#connecting)
    clearTimeout(this.#again)
    // Polling continues meanwhile.
    this.#open().catch(() => this.#renewLater())
  }

  /**
   * Sends UNLISTEN first: a connection that is cut while the client uses it fails with an error that no caller can
   * catch.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#again)
    const waited = Promise.withResolvers<void>()
    const timer = setTimeout(waited.resolve, unlistenMs)
    const unlistened = this.#opening?.then((subscription) => subscription.unlisten())
    await Promise.race([unlistened?.catch(() => undefined), waited.promise])
    clearTimeout(timer)
    await this.#connecting?.then((sql) => sql.close({ timeout: 0 })).catch(() => undefined)
  }

  #renewLater(): void {
    clearTimeout(this.#again)
    if (this.#isClosed) return
    this.#again = setTimeout(() => this.renew(), againMs)
    this.#again.unref()
  }

  async #open(): Promise<void> {
    this.#connecting = this.#hosts.connect(this.#limits)
    this.#opening = this.#subscribe(this.#connecting)
    await this.#opening
  }

  async #subscribe(connecting: Promise<SQL>): Promise<{ unlisten(): Promise<void> }> {
    const sql = await connecting
    return sql.listen(this.#channel, () => {
      for (const callback of this.#callbacks) callback()
    })
  }
}

function closeNow(connecting: Promise<SQL>): void {
  connecting.then((sql) => sql.close({ timeout: 0 })).catch(() => undefined)
}
