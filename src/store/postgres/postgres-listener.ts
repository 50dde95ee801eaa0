import type { SQL } from 'bun'
import { connect, type PoolLimits, type PostgresServer } from './connect.ts'

/** A server that is silent is not waited for any longer. */
const farewellMs = 1_000

/**
 * Hears notifications, on a connection of its own. The client makes a new one when the server closes it. A connection
 * whose packets are lost says nothing, as one does on which nothing happens: when others find the server silent, this
 * one is renewed with them. Whoever needs to be certain polls as well.
 */
export class PostgresListener {
  readonly #server: PostgresServer
  readonly #limits: PoolLimits
  readonly #channel: string
  readonly #callbacks: (() => void)[] = []
  #sql: SQL | undefined
  #opening: Promise<{ unlisten(): Promise<void> }> | undefined
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
    // Should that fail, polling goes on, and the next silence or start tries again.
    this.#open().catch(() => undefined)
  }

  /** Takes leave first: a connection that is cut while the client uses it fails where nobody can hear of it. */
  async close(): Promise<void> {
    this.#isClosed = true
    const waited = Promise.withResolvers<void>()
    const timer = setTimeout(waited.resolve, farewellMs)
    const farewell = this.#opening?.then((subscription) => subscription.unlisten())
    await Promise.race([farewell?.catch(() => undefined), waited.promise])
    clearTimeout(timer)
    await this.#sql?.close({ timeout: 0 })
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
