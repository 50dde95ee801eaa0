import type { ConversationTarget } from './plan-question.ts'

const placesMax = 20_000
/** Longer than any provider keeps an unused prompt. */
const forgetAfterMs = 60 * 60_000

interface Kept extends ConversationTarget {
  untilMs: number
}

/** Where conversations were answered last, so that the provider's prompt cache is used again. */
export class StickyMemory {
  /** In order of use, least recent first. */
  readonly #places = new Map<string, Kept>()

  find(conversation: string, nowMs: number): ConversationTarget | undefined {
    const kept = this.#places.get(conversation)
    if (!kept) return undefined
    if (kept.untilMs > nowMs) return kept
    this.#places.delete(conversation)
    return undefined
  }

  keep(
    conversation: string,
    { upstreamId, credentialId }: ConversationTarget,
    nowMs: number,
  ): void {
    this.#places.delete(conversation)
    if (this.#places.size >= placesMax) {
      for (const oldest of this.#places.keys()) {
        this.#places.delete(oldest)
        break
      }
    }
    this.#places.set(conversation, { upstreamId, credentialId, untilMs: nowMs + forgetAfterMs })
  }
}
