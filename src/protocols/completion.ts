/**
 * Decides whether a stream may end here: every answer that was requested or has begun needs a finish reason. Some
 * servers send a finish reason with every chunk, so an answer that continues after its reason has not finished.
 */
export class Completion {
  readonly #answersMin: number
  readonly #isFinished = new Map<number, boolean>()
  #hasContinued = false

  constructor(answersMin: number = 1) {
    this.#answersMin = answersMin
  }

  /** True if the reply is complete when the upstream closes now. */
  get isComplete(): boolean {
    if (this.#isFinished.size < this.#answersMin) return false
    for (const isFinished of this.#isFinished.values()) if (!isFinished) return false
    return true
  }

  /** True if no more content is expected, however the stream ends. */
  get isCertain(): boolean {
    return !this.#hasContinued && this.isComplete
  }

  get hasStarted(): boolean {
    return this.#isFinished.size > 0
  }

  note(index: number, hasReason: boolean, isContent: boolean): void {
    const isFinished = this.#isFinished.get(index)
    if (isFinished === true && isContent) this.#hasContinued = true
    if (hasReason) this.#isFinished.set(index, true)
    else if (isContent || isFinished === undefined) this.#isFinished.set(index, false)
  }
}
