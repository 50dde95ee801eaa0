import { isObject, type JsonObject } from '../../wire/json.ts'

/**
 * Knows whether a stream may end here: every candidate that has begun has its reason to finish, or the prompt
 * was blocked. The service has no last event of its own, and some of its models send a reason with every chunk.
 */
export class Completion {
  readonly #isFinished = new Map<number, boolean>()
  #isBlocked = false

  get isComplete(): boolean {
    if (this.#isFinished.size === 0) return this.#isBlocked
    for (const isFinished of this.#isFinished.values()) if (!isFinished) return false
    return true
  }

  note(index: number, hasReason: boolean, isContent: boolean): void {
    if (hasReason) this.#isFinished.set(index, true)
    else if (isContent || !this.#isFinished.has(index)) this.#isFinished.set(index, false)
  }

  noteFeedback(chunk: JsonObject): void {
    const feedback = chunk['promptFeedback']
    if (isObject(feedback) && (feedback['blockReason'] ?? undefined) !== undefined) {
      this.#isBlocked = true
    }
  }
}

/** An absent index is zero, or the place in the list for servers that number nothing. */
export function candidateIndex(candidate: JsonObject, place: number): number {
  const { index } = candidate
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < 128
    ? index
    : place
}
