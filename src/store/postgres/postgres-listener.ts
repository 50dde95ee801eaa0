import type { SQL } from 'bun'
import { connect, type PoolLimits, type PostgresServer } from './connect.ts'

/** How long `close` waits for a silent server. */
const unlistenMs = 1_000

/** Delay before the next attempt when the server rejects LISTEN, as a standby does. */
const againMs = 2_000

/**
 * Receives notifications on a connection of its own. The client reconnects when the server closes the connection. A
 * connection whose packets are lost looks like one without notifications; when other connections find the server
 * silent, this one is renewed as well. Callers that need certainty also poll.
 */
export class PostgresListener {
  readonly #server: PostgresServer
  readonly #limits: PoolLimits
  readonly #channel: string
  readonly #callbacks: (() => void)[] = []
  #sql: SQL | undefined
  #opening: Promise<{ unlisten(): Promise<void> }> | undefined
  #again: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(server: PostgresServer, limits: PoolLimits, channel: string) {
    this.#server = server
    this.#limits = { ...limits, connectionsMax: 1 }
    this.#channel = channel
  }

  async listen(callback: () => void): Promise<void> {
    this.#callbacks.push(callback)
    if (!this.#sql) await this.#open()
  }

  renew(): void {
    if (!this.#sql || this.#isClosed) return
    this.#sql.close({ timeout: 0 }).catch(() => undefined)
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
    await this.#sql?.close({ timeout: 0 })
  }

  #renewLater(): void {
    clearTimeout(this.#again)
    if (this.#isClosed) return
    this.#again = setTimeout(() => this.renew(), againMs)
    this.#again.unref()
  }

  async #open(): Promise<void> {
    const sql = connect(this.#server, this.#limits)
    this.#sql = sql
    this.#opening = sql.listen(this.#channel, () => {
      for (const callback of this.#callbacks) callback()
    })
    await this.#opening
  }
}
