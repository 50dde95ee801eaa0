/** The last minute, in seconds. */
const slots = 60
const slotMs = 1_000
/** The demand is estimated from the last slots: from as many of these as the rate was the same in. */
const spans = [1, 2, 4, 8, 16, 32, slots - 1]
/** A maximum is that of fewer slots, because it does not need a minute to be known. */
const peakSlots = 10

/**
 * The demand of requests for a limit: what they want in a minute, or the maximum at the same time. The demand is that
 * of the last minute, unless the last seconds had so many or so few requests that chance cannot explain them: then the
 * demand has changed.
 */
export class DemandWindow {
  readonly #counts = new Float64Array(slots)
  readonly #requests = new Uint32Array(slots)
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
    this.#requests[index] = (this.#requests[index] ?? 0) + 1
  }

  /** 0 only if there was no request in the last minute. */
  total(nowMs: number): number {
    this.#turn(nowMs)
    return Math.round(this.#isPeak ? this.#peak() : this.#rate(nowMs))
  }

  #peak(): number {
    let highest = 0
    for (let ago = 0; ago < peakSlots; ago += 1)
      highest = Math.max(highest, this.#counts[this.#indexOf(ago)] ?? 0)
    return highest
  }

  /** The rate of the longest time in which it can have been the same. */
  #rate(nowMs: number): number {
    const countSum = this.#counts.reduce((sum, each) => sum + each, 0)
    const requestSum = this.#requests.reduce((sum, each) => sum + each, 0)
    if (requestSum === 0) return 0
    const size = countSum / requestSum
    let [count, requests, ago] = [0, 0, 0]
    let [least, most, rate] = [0, Number.POSITIVE_INFINITY, 0]
    for (const span of spans) {
      for (; ago <= span; ago += 1) {
        count += this.#counts[this.#indexOf(ago)] ?? 0
        requests += this.#requests[this.#indexOf(ago)] ?? 0
      }
      const perMinute = span === slots - 1 ? 1 : 60_000 / ((nowMs % slotMs) + span * slotMs)
      // The standard deviation of random arrivals, and something for small numbers.
      const doubt = Math.sqrt(requests)
      const from = (count - size * (doubt + 1)) * perMinute
      const to = (count + size * (doubt + 2)) * perMinute
      if (from > most || to < least) break
      least = Math.max(least, from)
      most = Math.min(most, to)
      rate = Math.min(Math.max(count * perMinute, least), most)
    }
    return Math.max(1, rate)
  }

  #indexOf(ago: number): number {
    return (this.#slot - ago + slots) % slots
  }

  #turn(nowMs: number): void {
    const slot = Math.floor(nowMs / slotMs)
    const passed = Math.min(slots, slot - this.#slot)
    for (let each = 1; each <= passed; each += 1) {
      const index = (slot - passed + each) % slots
      this.#counts[index] = 0
      this.#requests[index] = 0
    }
    this.#slot = Math.max(this.#slot, slot)
  }
}

/** Whether a demand has changed by more than a part of it. */
export function isChange(from: number, to: number, least: number): boolean {
  return Math.abs(to - from) > least * Math.max(to, from)
}
