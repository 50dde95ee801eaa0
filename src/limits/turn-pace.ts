/** Keeps a distance between turns, unless somebody waits for the next one. */
export class TurnPace {
  readonly #distanceMs: number
  readonly #monotonicMs: () => number
  #lastMs = Number.NEGATIVE_INFINITY
  #isHurried = false
  #wake: (() => void) | undefined

  constructor(distanceMs: number, monotonicMs: () => number) {
    this.#distanceMs = distanceMs
    this.#monotonicMs = monotonicMs
  }

  /** The next turn comes at once. */
  hurry(): void {
    this.#isHurried = true
    this.#wake?.()
  }

  async nextTurn(): Promise<void> {
    const leftMs = this.#lastMs + this.#distanceMs - this.#monotonicMs()
    if (!this.#isHurried && leftMs > 0) await this.#sleep(leftMs)
    this.#isHurried = false
    this.#lastMs = this.#monotonicMs()
  }

  async #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#wake = resolve
    await promise
    this.#wake = undefined
    clearTimeout(timer)
  }
}
