import type { SQL } from 'bun'
import { connect, type PoolLimits, type PostgresServer } from './connect.ts'

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

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#sql?.close({ timeout: 0 })
  }

  async #open(): Promise<void> {
    const sql = connect(this.#server, this.#limits)
    this.#sql = sql
    await sql.listen(this.#channel, () => {
      for (const callback of this.#callbacks) callback()
    })
  }
}
