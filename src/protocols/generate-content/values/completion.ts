import { isObject, type JsonObject } from '../../../wire/json.ts'
import { Completion } from '../../completion.ts'

/** The service has no last event. A blocked prompt has no candidates and is complete without them. */
export class CandidateCompletion {
  readonly #candidates = new Completion()
  #isBlocked = false

  get isComplete(): boolean {
    return this.#candidates.hasStarted ? this.#candidates.isComplete : this.#isBlocked
  }

  get isCertain(): boolean {
    return this.#candidates.hasStarted ? this.#candidates.isCertain : this.#isBlocked
  }

  note(index: number, hasReason: boolean, isContent: boolean): void {
    this.#candidates.note(index, hasReason, isContent)
  }

  noteFeedback(chunk: JsonObject): void {
    const feedback = chunk['promptFeedback']
    if (isObject(feedback) && (feedback['blockReason'] ?? undefined) !== undefined) {
      this.#isBlocked = true
    }
  }
}

/** An absent index is zero, or the position in the list for servers that do not number candidates. */
export function candidateIndex(candidate: JsonObject, position: number): number {
  const { index } = candidate
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < 128
    ? index
    : position
}
