import { countingDemands } from './announced-demands.ts'

/** Small limits are divided for this long after the database did not count them; twice as long if that is repeated. */
const pauseMs = { least: 5_000, most: 60_000 }

/**
 * How far a process is with the counting of small limits in the database. `off`: the others may use all that the
 * database has left, and do not know that this process uses limits without it. `divided`: they know, and leave its part
 * to it. `told`: the database decides about each request, but the process uses no more than its part, because others may
 * not have told what they use. `on`: all have, so the process may use all that the database has left.
 */
export type CountingStep = 'off' | 'divided' | 'told' | 'on'

/** Whether a process has its small limits counted in the database. */
export class CountingState {
  #step: CountingStep = 'off'
  #againAtMs = Number.NEGATIVE_INFINITY
  #pauseMs = 0
  #dividedAtMs: number | undefined

  get isOn(): boolean {
    return this.#step === 'on'
  }

  get isTold(): boolean {
    return this.#step === 'told' || this.isOn
  }

  /** Since when this process uses a part of each small limit without the database. Undefined: it does not. */
  get dividedAtMs(): number | undefined {
    return this.#step === 'divided' ? this.#dividedAtMs : undefined
  }

  get isOff(): boolean {
    return this.#step === 'off'
  }

  /** Takes over the step that the announcements of all processes allow now, and tells whether that changes anything. */
  update(allowed: CountingStep, nowMs: number): boolean {
    const isCounted = allowed === 'told' || allowed === 'on'
    if (allowed === this.#step || (isCounted && this.#isPaused(nowMs))) return false
    this.#enter(allowed, nowMs)
    return true
  }

  /** The demand to announce. */
  get demand(): number {
    return this.isTold ? countingDemands.told : countingDemands.off
  }

  /** The database did not count. `isKnown`: all others still leave its part to this process. */
  lose(isKnown: boolean, nowMs: number): void {
    const isRepeated = nowMs - this.#againAtMs < pauseMs.most
    this.#pauseMs = isRepeated ? Math.min(2 * this.#pauseMs, pauseMs.most) : pauseMs.least
    this.#againAtMs = nowMs + this.#pauseMs
    this.#enter(isKnown ? 'divided' : 'off', nowMs)
  }

  #enter(step: CountingStep, nowMs: number): void {
    this.#step = step
    if (step === 'divided') this.#dividedAtMs ??= nowMs
    // While this process only tells the database, the others use their parts.
    else if (step !== 'told') this.#dividedAtMs = undefined
  }

  /** Whether the database did not count a short time ago. */
  #isPaused(nowMs: number): boolean {
    return nowMs < this.#againAtMs
  }
}
