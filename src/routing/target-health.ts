import { healthRules as rules } from './health-rules.ts'

const slotMs = rules.windowMs / rules.windowSlots

/**
 * The health of one model at one upstream. Time is told by whoever asks and never goes back; an attempt is known by
 * the moment at which it began. Numbers only: it is asked and told on every request.
 */
export class TargetHealth {
  readonly upstreamId: string
  readonly model: string
  inFlight = 0
  /** The mean time to the first token; 0 until one was measured. */
  latencyMs = 0
  /** How many tokens a second it thinks without showing them, in the mean; undefined until one was measured. */
  hiddenPerSecond: number | undefined
  /** The share of recent answers that were good, the latest counting most. */
  wellness = 1
  /** 0 while the breaker is closed. */
  openUntilMs = 0
  #openedAtMs = 0
  #closedAtMs = Number.NEGATIVE_INFINITY
  #openings = 0
  #trialSinceMs = Number.NEGATIVE_INFINITY
  #failuresInRow = 0
  /** Good answers and failures of each slot of the window, side by side. */
  readonly #slots = new Int32Array(rules.windowSlots * 2)
  #slot = 0

  constructor(upstreamId: string, model: string) {
    this.upstreamId = upstreamId
    this.model = model
  }

  get failuresInRow(): number {
    return this.#failuresInRow
  }

  /** Whether a request may go there: the breaker is closed, or it is time to try, and nobody does. */
  mayPass(nowMs: number): boolean {
    if (this.openUntilMs === 0) return true
    return nowMs >= this.openUntilMs && !this.isOnTrial(nowMs)
  }

  /** Whether one request is finding out now if it is well again. */
  isOnTrial(nowMs: number): boolean {
    return nowMs - this.#trialSinceMs < rules.trialMs
  }

  /** True for the request that tries a half-open breaker. */
  enter(nowMs: number): boolean {
    this.inFlight += 1
    if (this.openUntilMs === 0 || nowMs < this.openUntilMs || this.isOnTrial(nowMs)) return false
    this.#trialSinceMs = nowMs
    return true
  }

  leave(isTrial: boolean): void {
    this.inFlight -= 1
    if (isTrial) this.#trialSinceMs = Number.NEGATIVE_INFINITY
  }

  noteFirstToken(ms: number): void {
    this.latencyMs =
      this.latencyMs === 0 ? ms : this.latencyMs + (ms - this.latencyMs) * rules.meanShare
  }

  noteHidden(perSecond: number): void {
    const known = this.hiddenPerSecond ?? perSecond
    this.hiddenPerSecond = known + (perSecond - known) * rules.meanShare
  }

  /** True when this has closed the breaker. What began before it opened says nothing about now. */
  succeed(nowMs: number, startedMs: number): boolean {
    this.#count(nowMs, 0)
    this.wellness += (1 - this.wellness) * rules.meanShare
    this.#failuresInRow = 0
    if (this.openUntilMs === 0 || startedMs < this.#openedAtMs) return false
    this.#close(nowMs)
    return true
  }

  /** True when this has opened the breaker. `chance` is a number in [0, 1). */
  fail(nowMs: number, startedMs: number, chance: number): boolean {
    this.#count(nowMs, 1)
    this.tire()
    this.#failuresInRow += 1
    if (this.openUntilMs > 0) {
      // Only a trial that fails opens it anew: others had begun before, or went there for want of a better place.
      if (nowMs < this.openUntilMs || startedMs < this.#openedAtMs) return false
    } else if (this.#failuresInRow < rules.failuresInRow && !this.#isMostlyFailing()) return false
    this.#open(nowMs, chance)
    return true
  }

  /** It answers, and has more to do than it takes: it should get less. */
  tire(): void {
    this.wellness -= this.wellness * rules.meanShare
  }

  /** Somebody has seen that it answers: the next request may try, whatever is left of the time. */
  hint(nowMs: number): void {
    if (this.openUntilMs > nowMs) this.openUntilMs = nowMs
  }

  #open(nowMs: number, chance: number): void {
    const isRelapse = this.openUntilMs > 0 || nowMs - this.#closedAtMs < rules.openMsMax
    this.#openings = isRelapse ? this.#openings + 1 : 1
    const wholeMs = Math.min(rules.openMs * this.#openings, rules.openMsMax)
    const jitter = 1 + (chance * 2 - 1) * rules.openJitter
    this.#openedAtMs = nowMs
    this.openUntilMs = nowMs + Math.min(wholeMs * jitter, rules.openMsMax)
    this.#slots.fill(0)
  }

  #close(nowMs: number): void {
    this.openUntilMs = 0
    this.#closedAtMs = nowMs
    this.#trialSinceMs = Number.NEGATIVE_INFINITY
    this.#slots.fill(0)
  }

  #count(nowMs: number, isFailure: 0 | 1): void {
    const slot = Math.floor(nowMs / slotMs)
    if (slot !== this.#slot) this.#turnTo(slot)
    const place = (slot % rules.windowSlots) * 2 + isFailure
    this.#slots[place] = (this.#slots[place] ?? 0) + 1
  }

  #turnTo(slot: number): void {
    const steps = Math.min(slot - this.#slot, rules.windowSlots)
    for (let step = 0; step < steps; step += 1) {
      const place = ((slot - step) % rules.windowSlots) * 2
      this.#slots[place] = 0
      this.#slots[place + 1] = 0
    }
    this.#slot = slot
  }

  #isMostlyFailing(): boolean {
    let good = 0
    let failed = 0
    for (let place = 0; place < this.#slots.length; place += 2) {
      good += this.#slots[place] ?? 0
      failed += this.#slots[place + 1] ?? 0
    }
    const answers = good + failed
    return answers >= rules.windowAnswersMin && failed > answers * rules.windowFailureShare
  }
}
