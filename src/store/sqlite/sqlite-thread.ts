import type { SqlValue, StatementResult, Unit, UnitResult } from '../engine.ts'
import { TransientStoreError } from '../engine.ts'
import type { Shape } from '../shape.ts'
import { decodeResults, UnitEncoder } from './unit-codec.ts'
import type { WorkerAnswer, WorkerQuestion } from './worker-messages.ts'

type Question = WorkerQuestion extends infer Each
  ? Each extends WorkerQuestion
    ? Omit<Each, 'id'>
    : never
  : never

/** The near side of one SQLite thread: questions out, answers in, in order. */
export class SqliteThread {
  readonly #worker: Worker
  readonly #waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >()
  readonly #encoder = new UnitEncoder()
  #nextId = 1

  private constructor(isBusy: boolean) {
    // A small heap is collected often: right for a thread that rests, dear for the one that takes every request.
    this.#worker = new Worker(workerUrl(), { smol: !isBusy })
    this.#worker.onmessage = (event: MessageEvent<WorkerAnswer>) => this.#receive(event.data)
    this.#worker.onerror = (event) =>
      this.#failAll(new Error(`the database thread failed: ${event.message}`))
  }

  static async open(path: string, options: { readonly: boolean }): Promise<SqliteThread> {
    const thread = new SqliteThread(!options.readonly)
    await thread.#ask({ kind: 'open', path, readonly: options.readonly })
    return thread
  }

  query(sql: string, values: readonly SqlValue[]): Promise<StatementResult> {
    return this.#ask({ kind: 'query', sql, values }) as Promise<StatementResult>
  }

  async runUnits(units: readonly Unit[]): Promise<UnitResult[]> {
    const answer = await this.#ask({ kind: 'units', ...this.#encoder.encode(units) })
    return decodeResults(String(answer))
  }

  async defineShapes(shapes: readonly Shape[]): Promise<void> {
    await this.#ask({ kind: 'shapes', shapes })
  }

  async applyRecords(texts: readonly string[]): Promise<void> {
    await this.#ask({ kind: 'records', text: joinLists(texts) })
  }

  async close(): Promise<void> {
    await this.#ask({ kind: 'close' })
    this.#worker.terminate()
  }

  #ask(question: Question): Promise<unknown> {
    const id = this.#nextId
    this.#nextId += 1
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ ...question, id })
    })
  }

  #receive(answer: WorkerAnswer): void {
    const waiter = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('error' in answer) waiter?.reject(asError(answer.error, answer.code))
    else waiter?.resolve(answer.value)
  }

  #failAll(error: Error): void {
    for (const waiter of this.#waiting.values()) waiter.reject(error)
    this.#waiting.clear()
  }
}

/** One list of all that the lists have, without reading them. */
function joinLists(lists: readonly string[]): string {
  const filled = lists.filter((list) => list !== '[]')
  return `[${filled.map((list) => list.slice(1, -1)).join(',')}]`
}

function asError(message: string, code: string): Error {
  return code.startsWith('SQLITE_BUSY') ? new TransientStoreError(message) : new Error(message)
}

/** Beside this file, in the sources as in the build, which joins all other modules into one. */
function workerUrl(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./sqlite-worker.${extension}`, import.meta.url).href
}
