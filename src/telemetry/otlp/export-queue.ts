import { DelayedRun } from '../delayed-run.ts'

/** The result of a request to the collector. */
export type PostOutcome =
  | { readonly kind: 'taken' }
  /** The same request would fail again. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'later'; readonly why: string; readonly waitMs?: number | undefined }

export interface ExportQueueOptions<Item> {
  readonly itemsMax: number
  readonly batchMax: number
  readonly delayMs: number
  /** How often a batch is sent at most. */
  readonly triesMax: number
  write(items: readonly Item[]): string
  /** Never rejects, and ends within a limit of its own. */
  post(body: string): Promise<PostOutcome>
  onSent(count: number): void
  onDropped(count: number, why: string): void
  /** The wait before the next attempt; shorter in tests. */
  readonly retryMs?: (tries: number) => number
}

const retryMsMax = 30_000

/** One second, then twice as long each time, each with up to a half more: replicas must not retry together. */
function usualRetryMs(tries: number): number {
  return Math.min(1_000 * 2 ** (tries - 1), retryMsMax) * (1 + Math.random() / 2)
}

/**
 * Sends items in batches, one request at a time. Adding an item never waits: when the queue is full, because the
 * collector is slow or down, the item is dropped and counted.
 */
export class ExportQueue<Item> {
  readonly #options: ExportQueueOptions<Item>
  #waiting: Item[] = []
  readonly #delivery: DelayedRun
  #isEnding = false
  #wake: (() => void) | undefined

  constructor(options: ExportQueueOptions<Item>) {
    this.#options = options
    this.#delivery = new DelayedRun(options.delayMs, () => this.#run())
  }

  get length(): number {
    return this.#waiting.length
  }

  add(item: Item): void {
    if (this.#isEnding || this.#waiting.length >= this.#options.itemsMax) {
      this.#options.onDropped(1, 'the queue is full')
      return
    }
    this.#waiting.push(item)
    this.#delivery.request()
  }

  /** Sends the remaining items, each batch once, and drops those that are not sent within the time. */
  async end(withinMs: number): Promise<void> {
    this.#isEnding = true
    this.#wake?.()
    await this.#delivery.finish(withinMs)
    const left = this.#waiting.splice(0).length
    if (left > 0) this.#options.onDropped(left, 'the process has stopped')
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0)
      await this.#deliver(this.#waiting.splice(0, this.#options.batchMax))
  }

  async #deliver(batch: readonly Item[]): Promise<void> {
    const { write, post, triesMax, onSent, onDropped, retryMs = usualRetryMs } = this.#options
    const body = write(batch)
    for (let tries = 1; ; tries += 1) {
      const outcome = await post(body)
      if (outcome.kind === 'taken') return onSent(batch.length)
      const isLast = outcome.kind === 'refused' || tries >= triesMax || this.#isEnding
      if (isLast) return onDropped(batch.length, outcome.why)
      await this.#wait(Math.min(outcome.waitMs ?? retryMs(tries), retryMsMax))
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      timer.unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
