import { joinLists, WorkerThread, workerUrl } from '../engine/worker-thread.ts'
import type { Shape } from '../units/shape.ts'
import type { PoolLimits, PostgresServer } from './connect.ts'
import { postgresLimits } from './limits.ts'
import type { PostgresCommand } from './postgres-command.ts'

/** How long `close` waits for a thread whose database does not answer. */
const closeMs = 7_000

/**
 * The main-thread side of the thread that ships records to Postgres. The thread starts with the first records, and
 * again if it dies; the records it was shipping then fail like a lost connection and are shipped again.
 */
export class PostgresThread {
  #server: PostgresServer
  readonly #limits: PoolLimits
  readonly #workerUrl: string
  readonly #shapes: Shape[] = []
  #thread: WorkerThread<PostgresCommand> | undefined
  #isClosed = false

  constructor(
    server: PostgresServer,
    limits: PoolLimits = postgresLimits.records,
    worker = workerUrl('postgres-worker', import.meta.url),
  ) {
    this.#server = server
    this.#limits = limits
    this.#workerUrl = worker
  }

  async defineShapes(shapes: readonly Shape[]): Promise<void> {
    this.#shapes.push(...shapes)
    // A thread that starts later gets all shapes.
    if (this.#thread && !this.#thread.isDead) await this.#thread.ask({ kind: 'shapes', shapes })
  }

  async applyRecords(texts: readonly string[]): Promise<void> {
    await this.#living().ask({ kind: 'records', text: joinLists(texts) })
  }

  /** The server is silent: running work fails and is repeated on a new connection. */
  giveUp(): void {
    this.#sendCommand({ kind: 'give-up' })
  }

  /** Connections of another pool were stale: running work finishes, and the next work uses a new connection. */
  renew(): void {
    this.#sendCommand({ kind: 'renew' })
  }

  /** Running work finishes, and the next work uses a connection to this server. */
  use(server: PostgresServer): void {
    this.#server = server
    this.#sendCommand({ kind: 'use', server })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const thread = this.#thread
    if (!thread) return
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, closeMs)
    await Promise.race([thread.ask({ kind: 'close' }).catch(() => undefined), late.promise])
    clearTimeout(timer)
    thread.end()
  }

  #sendCommand(command: PostgresCommand): void {
    if (this.#thread && !this.#thread.isDead) this.#thread.ask(command).catch(() => undefined)
  }

  #living(): WorkerThread<PostgresCommand> {
    if (this.#thread && (this.#isClosed || !this.#thread.isDead)) return this.#thread
    if (this.#isClosed) throw new Error('the database has been closed')
    const thread = new WorkerThread<PostgresCommand>(this.#workerUrl, { isBusy: true })
    // Messages are answered in order. A later message that needs these two reports the failure itself.
    thread.ask({ kind: 'open', server: this.#server, limits: this.#limits }).catch(() => undefined)
    thread.ask({ kind: 'shapes', shapes: this.#shapes }).catch(() => undefined)
    this.#thread = thread
    return thread
  }
}
