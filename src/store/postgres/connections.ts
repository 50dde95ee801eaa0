import type { ReservedSQL, SQL } from 'bun'
import { ConnectionStale } from '../engine.ts'
import { isServerFull } from './postgres-errors.ts'

/** A connection for one user, who releases it, or cuts it when the server is silent. */
export interface LentConnection {
  run(sql: string, values?: unknown[]): Promise<unknown>
  release(): Promise<void>
  cut(): Promise<void>
}

/**
 * Up to `max` connections to one host, each of them opened when all others are in use. Bun's own pool opens all its
 * connections at the first query, so each connection here is a pool of one, which connects again when its session has
 * ended.
 */
export class Connections {
  readonly #connect: () => SQL
  readonly #max: number
  readonly #all = new Set<SQL>()
  /** The one that was used last is used next, so a quiet gateway needs few sessions. */
  readonly #free: SQL[] = []
  /** The pool limits how long each of them waits. */
  readonly #waiting: PromiseWithResolvers<SQL>[] = []
  #isClosed = false
  #allFree: (() => void) | undefined

  constructor(connect: () => SQL, max: number) {
    this.#connect = connect
    this.#max = max
  }

  async reserve(): Promise<LentConnection> {
    if (this.#isClosed) throw closed()
    let sql = this.#free.pop() ?? this.#open() ?? (await this.#wait())
    for (;;) {
      try {
        return this.#lend(await sql.reserve(), sql)
      } catch (error) {
        // A server that allows no more sessions is used with those that it has allowed.
        if (!isServerFull(error) || this.#all.size === 1) {
          this.#takeBack(sql)
          throw error
        }
        this.#all.delete(sql)
        sql.close({ timeout: 0 }).catch(() => undefined)
        sql = this.#free.pop() ?? (await this.#wait())
      }
    }
  }

  /** Gives running work some time, then cuts the connections. */
  async close(timeoutSeconds: number): Promise<void> {
    this.#isClosed = true
    const isBusy = this.#free.length < this.#all.size
    if (isBusy && timeoutSeconds > 0) await this.#untilFree(timeoutSeconds * 1_000)
    for (const { reject } of this.#waiting.splice(0)) reject(closed())
    await Promise.all([...this.#all].map((sql) => sql.close({ timeout: 0 })))
  }

  #open(): SQL | undefined {
    if (this.#all.size >= this.#max) return undefined
    const sql = this.#connect()
    this.#all.add(sql)
    return sql
  }

  async #wait(): Promise<SQL> {
    if (this.#isClosed) throw closed()
    const turn = Promise.withResolvers<SQL>()
    this.#waiting.push(turn)
    return turn.promise
  }

  #lend(reserved: ReservedSQL, sql: SQL): LentConnection {
    return {
      run: async (text, values) => reserved.unsafe<unknown>(text, values),
      release: async () => {
        try {
          await reserved.release()
        } finally {
          this.#takeBack(sql)
        }
      },
      cut: async () => {
        try {
          await reserved.close({ timeout: 0 })
        } finally {
          this.#takeBack(sql)
        }
      },
    }
  }

  #takeBack(sql: SQL): void {
    const next = this.#waiting.shift()
    if (next) {
      next.resolve(sql)
      return
    }
    this.#free.push(sql)
    if (this.#free.length === this.#all.size) this.#allFree?.()
  }

  async #untilFree(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#allFree = resolve
    const timer = setTimeout(resolve, ms)
    await promise
    clearTimeout(timer)
  }
}

function closed(): ConnectionStale {
  return new ConnectionStale('The connections to the database have been closed.')
}
