import { DependencyUnavailable } from '../../core/fault.ts'
import { RefusedStoreError, TransientStoreError } from '../engine.ts'

/** The engine error class of a failure. */
export type StoreFailureKind = 'transient' | 'refused' | 'out-of-reach' | 'other'

export type WorkerAnswer =
  | { readonly id: number; readonly value: unknown }
  | {
      readonly id: number
      readonly error: string
      readonly kind: StoreFailureKind
      /** The code of the driver or the system, if the error has one. */
      readonly code: string | undefined
    }

/** The main-thread side of a database thread: sends calls and receives results. */
export class WorkerThread<Command extends object> {
  readonly #worker: Worker
  readonly #waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >()
  #nextId = 1
  #death: Error | undefined

  constructor(url: string, options: { isBusy: boolean }) {
    // A small heap is collected often: good for an idle thread, expensive for the one that handles every request.
    this.#worker = new Worker(url, { smol: !options.isBusy })
    this.#worker.onmessage = (event: MessageEvent<WorkerAnswer>) => this.#receive(event.data)
    this.#worker.onerror = (event) => this.#die(`the database thread failed: ${event.message}`)
    this.#worker.addEventListener('close', () => this.#die('the database thread has ended'))
  }

  get isDead(): boolean {
    return this.#death !== undefined
  }

  /** A dead thread returns no results. Its pending calls may have been executed, and may be repeated. */
  ask(command: Command): Promise<unknown> {
    if (this.#death) return Promise.reject(this.#death)
    const id = this.#nextId
    this.#nextId += 1
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ ...command, id })
    })
  }

  end(): void {
    this.#worker.terminate()
    this.#die('the database thread has been stopped')
  }

  #receive(answer: WorkerAnswer): void {
    const waiter = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('error' in answer) {
      waiter?.reject(errorOf(answer))
    } else {
      waiter?.resolve(answer.value)
    }
  }

  #die(why: string): void {
    this.#death ??= new TransientStoreError(why)
    for (const waiter of this.#waiting.values()) waiter.reject(this.#death)
    this.#waiting.clear()
  }
}

function errorOf({ error, kind, code }: Extract<WorkerAnswer, { readonly error: string }>): Error {
  const made = new errorClasses[kind](error)
  return code === undefined ? made : Object.assign(made, { code })
}

const errorClasses = {
  transient: TransientStoreError,
  'out-of-reach': DependencyUnavailable,
  refused: RefusedStoreError,
  other: Error,
} as const satisfies Readonly<Record<StoreFailureKind, unknown>>

/**
 * The URL of a worker's file: next to the file of its main-thread side, in the sources as in the build, which bundles
 * all other files.
 */
export function workerUrl(name: string, nearSideUrl: string): string {
  const extension = nearSideUrl.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./${name}.${extension}`, nearSideUrl).href
}

/** Joins JSON lists into one without parsing them. */
export function joinLists(lists: readonly string[]): string {
  const filled = lists.filter((list) => list !== '[]')
  return `[${filled.map((list) => list.slice(1, -1)).join(',')}]`
}
