import { retryRules as rules } from './retry-rules.ts'

/** Limits the retries of a process, so that retries cannot overload an upstream that is merely slow. */
export class RetryBudget {
  #left: number = rules.budgetMax
  #filledAtMs = 0

  /** Called for each request. */
  deposit(): void {
    this.#left = Math.min(this.#left + rules.budgetShare, rules.budgetMax)
  }

  /** Whether one more retry is allowed now. If so, it is counted. */
  take(nowMs: number): boolean {
    const seconds = Math.max(0, nowMs - this.#filledAtMs) / 1_000
    this.#filledAtMs = nowMs
    this.#left = Math.min(this.#left + seconds * rules.budgetPerSecond, rules.budgetMax)
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
