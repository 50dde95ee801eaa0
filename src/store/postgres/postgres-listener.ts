import type { SQL } from 'bun'
import { connect, type PoolLimits, type PostgresServer } from './connect.ts'

/** A server that is silent is not waited for any longer. */
const farewellMs = 1_000

/** A server that does not let us listen, as a standby does not, is asked again after this. */
const againMs = 2_000

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
    // Polling goes on meanwhile.
    this.#open().catch(() => this.#renewLater())
  }

  /** Takes leave first: a connection that is cut while the client uses it fails where nobody can hear of it. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#again)
    const waited = Promise.withResolvers<void>()
    const timer = setTimeout(waited.resolve, farewellMs)
    const farewell = this.#opening?.then((subscription) => subscription.unlisten())
    await Promise.race([farewell?.catch(() => undefined), waited.promise])
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
