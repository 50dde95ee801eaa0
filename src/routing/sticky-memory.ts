import type { ConversationTarget } from './plan-params.ts'

const targetsMax = 20_000
/** Longer than any provider keeps an unused prompt. */
const forgetAfterMs = 60 * 60_000

interface RememberedTarget extends ConversationTarget {
  untilMs: number
}

/** Remembers the upstream that answered each conversation last, so that the provider's prompt cache is used again. */
export class StickyMemory {
  /** In order of use, least recent first. */
  readonly #targets = new Map<string, RememberedTarget>()

  find(conversation: string, nowMs: number): ConversationTarget | undefined {
    const kept = this.#targets.get(conversation)
    if (!kept) return undefined
    if (kept.untilMs > nowMs) return kept
    this.#targets.delete(conversation)
    return undefined
  }

  keep(
    conversation: string,
    { upstreamId, credentialId }: ConversationTarget,
    nowMs: number,
  ): void {
    this.#targets.delete(conversation)
    if (this.#targets.size >= targetsMax) {
      for (const oldest of this.#targets.keys()) {
        this.#targets.delete(oldest)
        break
      }
    }
    this.#targets.set(conversation, { upstreamId, credentialId, untilMs: nowMs + forgetAfterMs })
  }
}
