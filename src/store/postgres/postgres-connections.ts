import type { ReservedSQL, SQL } from 'bun'
import { ConnectionStale } from '../engine.ts'

/** A caller that waits. */
type Waiting<Value> = ReturnType<typeof Promise.withResolvers<Value>>

/** A connection that its user must give back. */
export interface LentConnection {
  readonly sql: ReservedSQL
  /** For the next user. A connection that was closed is not given back. */
  giveBack(): void
}

/**
 * Connections to one server, as many as are used at the same time. Bun's own pool would open all of them at the first
 * query. The caller decides how long it waits.
 */
export class PostgresConnections {
  readonly #max: number
  /**
   * The number of connections opened together with the first one: a start far away from the server does not wait for
   * them later.
   */
  readonly #ahead: number
  /** Bun's client with one connection, which the client opens when it is needed, and again when it is lost. */
  readonly #make: () => SQL
  readonly #all = new Set<SQL>()
  /** The one that was used last is used next, so that no more are open than are needed. */
  readonly #free: SQL[] = []
  /** Callers beyond the limit. */
  readonly #waiting: Waiting<void>[] = []
  /** Callers for whom the server opened no further connection. They get the next one that is given back. */
  readonly #starved: Waiting<SQL>[] = []
  #served = 0
  #isClosed = false

  constructor({ max, ahead }: { max: number; ahead: number }, make: () => SQL) {
    this.#max = max
    this.#ahead = ahead
    this.#make = make
  }

  async lend(): Promise<LentConnection> {
    if (this.#isClosed) throw closed()
    if (this.#all.size === 0) this.#openAhead()
    if (this.#served < this.#max) this.#served += 1
    else await this.#wait(this.#waiting)
    try {
      const client = this.#free.pop()
      return await (client ? this.#lend(client) : this.#lendAnother())
    } catch (error) {
      this.#next()
      throw error
    }
  }

  /** Gives running work some time. */
  async close(timeoutSeconds: number): Promise<void> {
    this.#isClosed = true
    for (const { reject } of [...this.#waiting.splice(0), ...this.#starved.splice(0)])
      reject(closed())
    await Promise.all([...this.#all].map((client) => client.close({ timeout: timeoutSeconds })))
  }

  #openAhead(): void {
    for (let count = 1; count < Math.min(this.#ahead, this.#max); count += 1) {
      const client = this.#make()
      this.#all.add(client)
      client.reserve().then(
        (sql) => {
          sql.release().catch(() => undefined)
          this.#offer(client)
        },
        (error: unknown) => this.#remove(client, error),
      )
    }
  }

  async #lend(client: SQL): Promise<LentConnection> {
    try {
      const sql = await client.reserve()
      return { sql, giveBack: () => this.#takeBack(client, sql) }
    } catch (error) {
      this.#remove(client, error)
      throw error
    }
  }

  /** A server that has no room for one more connection still serves those that it has. */
  async #lendAnother(): Promise<LentConnection> {
    // Some are still being opened ahead.
    if (this.#all.size >= this.#max) return this.#lend(await this.#wait(this.#starved))
    const client = this.#make()
    this.#all.add(client)
    try {
      return await this.#lend(client)
    } catch (error) {
      if (this.#all.size === 0 || this.#isClosed) throw error
    }
    return this.#lend(this.#free.pop() ?? (await this.#wait(this.#starved)))
  }

  /**
   * The connection is offered at once, so that the next caller needs no other. A lost connection cannot be released; its
   * client opens another one for the next caller.
   */
  #takeBack(client: SQL, sql: ReservedSQL): void {
    sql.release().catch(() => undefined)
    this.#offer(client)
    this.#next()
  }

  #offer(client: SQL): void {
    const starved = this.#starved.shift()
    if (starved) starved.resolve(client)
    else this.#free.push(client)
  }

  /** The caller's place goes to the one that has waited longest. */
  #next(): void {
    const waiting = this.#waiting.shift()
    if (waiting) waiting.resolve()
    else this.#served -= 1
  }

  #remove(client: SQL, error: unknown): void {
    this.#all.delete(client)
    client.close({ timeout: 0 }).catch(() => undefined)
    if (this.#all.size > 0) return
    for (const { reject } of this.#starved.splice(0)) reject(error)
  }

  #wait<Value>(list: Waiting<Value>[]): Promise<Value> {
    const waiting = Promise.withResolvers<Value>()
    list.push(waiting)
    return waiting.promise
  }
}

function closed(): ConnectionStale {
  return new ConnectionStale('The database has been closed.')
}
