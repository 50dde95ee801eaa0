/** Small limits are divided for this long after the database did not count them; twice as long if that is repeated. */
const pauseMs = { least: 5_000, most: 60_000 }

/** Whether a process has its small limits counted in the database. */
export class CountingState {
  #isOn = false
  #againAtMs = Number.NEGATIVE_INFINITY
  #pauseMs = 0

  get isOn(): boolean {
    return this.#isOn
  }

  /** Takes over whether all processes can count now, and tells whether that changes anything. */
  update(canAllCount: boolean, nowMs: number): boolean {
    const isOn = canAllCount && nowMs >= this.#againAtMs
    const isChanged = isOn !== this.#isOn
    this.#isOn = isOn
    return isChanged
  }

  /** Whether the database did not count a short time ago. */
  isPaused(nowMs: number): boolean {
    return nowMs < this.#againAtMs
  }

  /** The database did not count. */
  lose(nowMs: number): void {
    const isRepeated = nowMs - this.#againAtMs < pauseMs.most
    this.#pauseMs = isRepeated ? Math.min(2 * this.#pauseMs, pauseMs.most) : pauseMs.least
    this.#againAtMs = nowMs + this.#pauseMs
    this.#isOn = false
  }
}
