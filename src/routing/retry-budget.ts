import { retryRules as rules } from './retry-rules.ts'

/** Bounds the retries of a process, so that they cannot bring down what is merely slow. */
export class RetryBudget {
  #left: number = rules.budgetMax
  #filledAtMs = 0

  /** One request more. */
  deposit(): void {
    this.#left = Math.min(this.#left + rules.budgetShare, rules.budgetMax)
  }

  /** Whether one more retry may be made now; if so, it is counted. */
  take(nowMs: number): boolean {
    const seconds = Math.max(0, nowMs - this.#filledAtMs) / 1_000
    this.#filledAtMs = nowMs
    this.#left = Math.min(this.#left + seconds * rules.budgetPerSecond, rules.budgetMax)
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
