import type { Shape } from '../shape.ts'
import { joinLists, WorkerThread, workerUrl } from '../worker-thread.ts'
import type { PoolLimits, PostgresServer } from './connect.ts'
import { postgresLimits } from './limits.ts'
import type { PostgresQuestion } from './postgres-question.ts'

/** A thread that waits for a database which does not answer is not waited for longer than this. */
const closeMs = 7_000

/**
 * The near side of the thread that carries records to Postgres. It is started when there is something to carry, and
 * again should it die: what it was carrying then fails as a lost connection does, and is brought once more.
 */
export class PostgresThread {
  readonly #server: PostgresServer
  readonly #limits: PoolLimits
  readonly #workerUrl: string
  readonly #shapes: Shape[] = []
  #thread: WorkerThread<PostgresQuestion> | undefined
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
    // One that is started later gets all of them.
    if (this.#thread && !this.#thread.isDead) await this.#thread.ask({ kind: 'shapes', shapes })
  }

  async applyRecords(texts: readonly string[]): Promise<void> {
    await this.#living().ask({ kind: 'records', text: joinLists(texts) })
  }

  /** The server is silent: what is being carried fails, and is brought once more over a new connection. */
  giveUp(): void {
    this.#tell({ kind: 'give-up' })
  }

  /** Connections elsewhere were stale: what is being carried arrives, what comes next goes over a new connection. */
  renew(): void {
    this.#tell({ kind: 'renew' })
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

  #tell(question: PostgresQuestion): void {
    if (this.#thread && !this.#thread.isDead) this.#thread.ask(question).catch(() => undefined)
  }

  #living(): WorkerThread<PostgresQuestion> {
    if (this.#thread && (this.#isClosed || !this.#thread.isDead)) return this.#thread
    if (this.#isClosed) throw new Error('the database has been closed')
    const thread = new WorkerThread<PostgresQuestion>(this.#workerUrl, { isBusy: true })
    // Questions are answered in order; one that cannot be answered without these two says so itself.
    thread.ask({ kind: 'open', server: this.#server, limits: this.#limits }).catch(() => undefined)
    thread.ask({ kind: 'shapes', shapes: this.#shapes }).catch(() => undefined)
    this.#thread = thread
    return thread
  }
}
