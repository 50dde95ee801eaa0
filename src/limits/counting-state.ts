import { countingDemands } from './announced-demands.ts'

/** Small limits are divided for this long after the database did not count them; twice as long if that is repeated. */
const pauseMs = { least: 5_000, most: 60_000 }

/**
 * How far a process is with the counting of small limits in the database. `told`: the database decides about each
 * request, but the process uses no more than its part, because others may not have told what they use. `on`: all have,
 * so the process may use all that the database has left.
 */
export type CountingStep = 'off' | 'told' | 'on'

/** Whether a process has its small limits counted in the database. */
export class CountingState {
  #step: CountingStep = 'off'
  #againAtMs = Number.NEGATIVE_INFINITY
  #pauseMs = 0

  get isOn(): boolean {
    return this.#step === 'on'
  }

  get isTold(): boolean {
    return this.#step !== 'off'
  }

  /** Takes over the step that the announcements of all processes allow now, and tells whether that changes anything. */
  update(allowed: CountingStep, nowMs: number): boolean {
    const step = this.#isPaused(nowMs) ? 'off' : allowed
    const isChanged = step !== this.#step
    this.#step = step
    return isChanged
  }

  /** The demand to announce. */
  demand(nowMs: number): number {
    if (this.#isPaused(nowMs)) return countingDemands.off
    return this.isTold ? countingDemands.told : countingDemands.ready
  }

  /** The database did not count. */
  lose(nowMs: number): void {
    const isRepeated = nowMs - this.#againAtMs < pauseMs.most
    this.#pauseMs = isRepeated ? Math.min(2 * this.#pauseMs, pauseMs.most) : pauseMs.least
    this.#againAtMs = nowMs + this.#pauseMs
    this.#step = 'off'
  }

  /** Whether the database did not count a short time ago. */
  #isPaused(nowMs: number): boolean {
    return nowMs < this.#againAtMs
  }
}
