import { waitAtMost } from '../core/time/wait-at-most.ts'

/** Runs work soon after it is requested, never twice at the same time. The work ends when nothing is left to do. */
export class DelayedRun {
  readonly #work: () => Promise<void>
  readonly #delayMs: number
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined

  constructor(delayMs: number, work: () => Promise<void>) {
    this.#delayMs = delayMs
    this.#work = work
  }

  /** Starts the work after the delay, unless it runs or will start already. */
  request(): void {
    if (this.#running || this.#timer) return
    this.#timer = setTimeout(() => this.#start(), this.#delayMs)
    this.#timer.unref()
  }

  /** Runs the work without a delay, and waits for its end, but not longer than the time. */
  async finish(withinMs: number): Promise<void> {
    this.#start()
    await waitAtMost(this.#running, withinMs)
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined
    })
  }
}
