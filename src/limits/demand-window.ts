/** Parts of the last minute. */
const slots = 6
const slotMs = 10_000

/** The demand of requests for a limit in the last minute: the sum, or the maximum at the same time. */
export class DemandWindow {
  readonly #counts = new Float64Array(slots)
  readonly #isPeak: boolean
  #slot = 0

  constructor(isPeak: boolean) {
    this.#isPeak = isPeak
  }

  note(count: number, nowMs: number): void {
    this.#turn(nowMs)
    const index = this.#slot % slots
    const known = this.#counts[index] ?? 0
    this.#counts[index] = this.#isPeak ? Math.max(known, count) : known + count
  }

  total(nowMs: number): number {
    this.#turn(nowMs)
    return Math.ceil(
      this.#counts.reduce((sum, each) => (this.#isPeak ? Math.max(sum, each) : sum + each), 0),
    )
  }

  #turn(nowMs: number): void {
    const slot = Math.floor(nowMs / slotMs)
    if (slot - this.#slot >= slots) this.#counts.fill(0)
    else for (let each = this.#slot + 1; each <= slot; each += 1) this.#counts[each % slots] = 0
    this.#slot = Math.max(this.#slot, slot)
  }
}
