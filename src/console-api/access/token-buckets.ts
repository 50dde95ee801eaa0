import type { Clock } from '../../core/time/clock.ts'

export interface BucketLimits {
  /** Attempts allowed at once. */
  readonly burst: number
  /** Time until another attempt is allowed. */
  readonly refillMs: number
  /** Limit of names in memory; the least recently seen is dropped first. */
  readonly namesMax: number
}

interface Bucket {
  tries: number
  atMs: number
}

/** Counts attempts per name in memory. A dropped name starts again from zero, so memory is bounded. */
export class TokenBuckets {
  readonly #limits: BucketLimits
  readonly #clock: Clock
  readonly #buckets = new Map<string, Bucket>()

  constructor(limits: BucketLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  /** Takes one attempt. Returns 0, or the milliseconds until the next one is allowed. */
  take(name: string): number {
    const bucket = this.#refilled(name)
    if (bucket.tries < 1) return Math.ceil((1 - bucket.tries) * this.#limits.refillMs)
    bucket.tries -= 1
    return 0
  }

  /** Returns an attempt that turned out to be legitimate. */
  giveBack(name: string): void {
    const bucket = this.#refilled(name)
    bucket.tries = Math.min(this.#limits.burst, bucket.tries + 1)
  }

  #refilled(name: string): Bucket {
    const { burst, refillMs, namesMax } = this.#limits
    const nowMs = this.#clock.monotonicMs()
    const known = this.#buckets.get(name)
    const gained = known ? (nowMs - known.atMs) / refillMs : 0
    const bucket = { tries: known ? Math.min(burst, known.tries + gained) : burst, atMs: nowMs }
    this.#buckets.delete(name)
    this.#buckets.set(name, bucket)
    const oldest = this.#buckets.size > namesMax ? this.#buckets.keys().next().value : undefined
    if (oldest !== undefined) this.#buckets.delete(oldest)
    return bucket
  }
}
