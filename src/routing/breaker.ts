import { healthRules as rules } from './health-rules.ts'

const slotMs = rules.windowMs / rules.windowSlots

/** Successes and failures in a window. */
export interface WindowCounts {
  readonly good: number
  readonly failed: number
}

/** Whether the counts are enough to open a breaker. */
export type TripRule = (inRow: number, counts: () => WindowCounts) => boolean

/** Five failures in a row, or more than half of the answers of a window. */
const byCount: TripRule = (inRow, counts) =>
  inRow >= rules.failuresInRow || isMostlyFailing(counts(), rules.windowAnswersMin)

export function isMostlyFailing({ good, failed }: WindowCounts, answersMin: number): boolean {
  const answers = good + failed
  return answers >= answersMin && failed > answers * rules.windowFailureShare
}

/**
 * A circuit breaker. It opens after too many failures, and later lets one request test the target. The caller passes
 * the time, which never goes back. The start time of an attempt identifies it.
 */
export class Breaker {
  /** 0 while the breaker is closed. */
  openUntilMs = 0
  failuresInRow = 0
  /** Another account has had a success since the breaker opened. */
  isContradicted = false
  #openedAtMs = 0
  #closedAtMs = Number.NEGATIVE_INFINITY
  #openings = 0
  #trialSinceMs = Number.NEGATIVE_INFINITY
  /** Successes and failures of each slot of the window, in pairs. */
  readonly #slots = new Int32Array(rules.windowSlots * 2)
  #slot = 0

  /** Whether a request may pass: the breaker is closed, or it is half-open and no test is running. */
  mayPass(nowMs: number): boolean {
    if (this.openUntilMs === 0) return true
    return nowMs >= this.openUntilMs && !this.isOnTrial(nowMs)
  }

  /** Whether a request is testing the half-open breaker now. */
  isOnTrial(nowMs: number): boolean {
    return nowMs - this.#trialSinceMs < rules.trialMs
  }

  /** True for the request that tests a half-open breaker. */
  enter(nowMs: number): boolean {
    if (this.openUntilMs === 0 || nowMs < this.openUntilMs || this.isOnTrial(nowMs)) return false
    this.#trialSinceMs = nowMs
    return true
  }

  endTrial(): void {
    this.#trialSinceMs = Number.NEGATIVE_INFINITY
  }

  /**
   * True when this success has closed the breaker. An attempt that started before the breaker opened does not close it.
   */
  succeed(nowMs: number, startedMs: number): boolean {
    this.#count(nowMs, 0)
    this.failuresInRow = 0
    if (this.openUntilMs === 0 || startedMs < this.#openedAtMs) return false
    this.openUntilMs = 0
    this.#closedAtMs = nowMs
    this.endTrial()
    this.#slots.fill(0)
    return true
  }

  /** True when this failure has opened the breaker. `chance` is a number in [0, 1). */
  fail(nowMs: number, startedMs: number, chance: number, isEnough: TripRule = byCount): boolean {
    this.#count(nowMs, 1)
    this.failuresInRow += 1
    if (this.openUntilMs > 0) {
      // Only a failed test opens the breaker again. Other attempts started earlier, or were sent there as a last
      // resort.
      if (nowMs < this.openUntilMs || startedMs < this.#openedAtMs) return false
    } else if (!isEnough(this.failuresInRow, () => this.#counts())) return false
    this.#open(nowMs, chance)
    return true
  }

  /** Whether there is nothing to remember. */
  get isQuiet(): boolean {
    return this.openUntilMs === 0 && this.failuresInRow === 0 && this.#counts().failed === 0
  }

  /** A probe had a success: the next request may test the target, whatever time is left. */
  hint(nowMs: number): void {
    if (this.openUntilMs > nowMs) this.openUntilMs = nowMs
  }

  #open(nowMs: number, chance: number): void {
    const isReopening = this.openUntilMs > 0 || nowMs - this.#closedAtMs < rules.openMsMax
    this.#openings = isReopening ? this.#openings + 1 : 1
    const wholeMs = Math.min(rules.openMs * this.#openings, rules.openMsMax)
    const jitter = 1 + (chance * 2 - 1) * rules.openJitter
    this.#openedAtMs = nowMs
    this.openUntilMs = nowMs + Math.min(wholeMs * jitter, rules.openMsMax)
    this.isContradicted = false
    this.#slots.fill(0)
  }

  #count(nowMs: number, isFailure: 0 | 1): void {
    const slot = Math.floor(nowMs / slotMs)
    if (slot !== this.#slot) this.#turnTo(slot)
    const index = (slot % rules.windowSlots) * 2 + isFailure
    this.#slots[index] = (this.#slots[index] ?? 0) + 1
  }

  #turnTo(slot: number): void {
    const steps = Math.min(slot - this.#slot, rules.windowSlots)
    for (let step = 0; step < steps; step += 1) {
      const index = ((slot - step) % rules.windowSlots) * 2
      this.#slots[index] = 0
      this.#slots[index + 1] = 0
    }
    this.#slot = slot
  }

  #counts(): WindowCounts {
    let good = 0
    let failed = 0
    for (let index = 0; index < this.#slots.length; index += 2) {
      good += this.#slots[index] ?? 0
      failed += this.#slots[index + 1] ?? 0
    }
    return { good, failed }
  }
}
