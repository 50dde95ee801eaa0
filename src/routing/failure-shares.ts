import { isMostlyFailing, type TripRule } from './breaker.ts'
import { healthRules as rules } from './health-rules.ts'

/**
 * Failures by account. Failures that one account causes alone are no evidence against an upstream that answers others.
 * So failures in a row count only up to a limit per account, and a window is judged without the account with the most
 * failures. A failure without an account comes from a probe and always counts.
 */
export class FailureShares {
  #row = new Map<string, number>()
  #rowWeight = 0
  /** Failures of this window and of the previous one, by account. */
  #recent = new Map<string, number>()
  #earlier = new Map<string, number>()
  #recentSinceMs = 0

  /** A success starts a new row. */
  succeed(): void {
    if (this.#rowWeight === 0) return
    this.#rowWeight = 0
    this.#row = new Map()
  }

  fail(nowMs: number, accountId: string | undefined): void {
    if (accountId === undefined) {
      this.#rowWeight += 1
      return
    }
    const inRow = this.#row.get(accountId) ?? 0
    if (inRow < rules.failuresOfOne) {
      this.#row.set(accountId, inRow + 1)
      this.#rowWeight += 1
    }
    if (nowMs - this.#recentSinceMs >= rules.windowMs) this.#turn(nowMs)
    const known = this.#recent.get(accountId)
    if (known !== undefined || this.#recent.size < rules.accountsMax)
      this.#recent.set(accountId, (known ?? 0) + 1)
  }

  /** Whether the failures are evidence against the upstream, not only against one account's requests. */
  readonly isEnough: TripRule = (_, counts) => {
    if (this.#rowWeight >= rules.failuresInRow) return true
    const all = counts()
    if (!isMostlyFailing(all, rules.windowAnswersMin)) return false
    const failed = all.failed - Math.min(all.failed, this.#mostOfOne())
    return isMostlyFailing({ good: all.good, failed }, rules.windowOthersMin)
  }

  #turn(nowMs: number): void {
    const isNext = nowMs - this.#recentSinceMs < 2 * rules.windowMs
    this.#earlier = isNext ? this.#recent : new Map<string, number>()
    this.#recent = new Map()
    this.#recentSinceMs = nowMs
  }

  #mostOfOne(): number {
    let most = 0
    for (const [account, count] of this.#recent)
      most = Math.max(most, count + (this.#earlier.get(account) ?? 0))
    for (const [account, count] of this.#earlier)
      if (!this.#recent.has(account)) most = Math.max(most, count)
    return most
  }
}
