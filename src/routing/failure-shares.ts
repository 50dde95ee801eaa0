import { isMostlyFailing, type Judge } from './breaker.ts'
import { healthRules as rules } from './health-rules.ts'

/**
 * Whose failures they are. What one account provokes alone is no evidence against an upstream that answers others: of
 * the failures in a row some count only when they come from somebody else, and a window is judged without the account
 * that has failed most in it. A failure without an account is a probe's, and counts by itself.
 */
export class FailureShares {
  #row = new Map<string, number>()
  #rowWeight = 0
  /** Failures of this window and of the one before, by account. */
  #recent = new Map<string, number>()
  #earlier = new Map<string, number>()
  #recentSinceMs = 0

  /** Somebody has had a good answer: a new row begins. */
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

  /** Whether the failures speak against the upstream, and not only against one account's requests. */
  readonly isEnough: Judge = (_, counts) => {
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
