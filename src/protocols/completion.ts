/**
 * Knows whether a stream may end here: every answer that was asked for, or has begun, has its reason to finish. Some
 * servers send a reason with every chunk, so an answer that goes on has not finished after all.
 */
export class Completion {
  readonly #answersMin: number
  readonly #isFinished = new Map<number, boolean>()
  #hasGoneOn = false

  constructor(answersMin: number = 1) {
    this.#answersMin = answersMin
  }

  /** If the upstream closes here, the reply is complete. */
  get isComplete(): boolean {
    if (this.#isFinished.size < this.#answersMin) return false
    for (const isFinished of this.#isFinished.values()) if (!isFinished) return false
    return true
  }

  /** Nothing more of the answers is expected, however the stream ends. */
  get isCertain(): boolean {
    return !this.#hasGoneOn && this.isComplete
  }

  get hasBegun(): boolean {
    return this.#isFinished.size > 0
  }

  note(index: number, hasReason: boolean, isContent: boolean): void {
    const isFinished = this.#isFinished.get(index)
    if (isFinished === true && isContent) this.#hasGoneOn = true
    if (hasReason) this.#isFinished.set(index, true)
    else if (isContent || isFinished === undefined) this.#isFinished.set(index, false)
  }
}
