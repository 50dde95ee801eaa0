import type { Clock } from '../core/clock.ts'

export type ExpiryReason = 'upstream_timeout' | 'draining'

/** A wait with a limit. `touch` starts a new wait; when it lasts too long `onExpire` is called, once. */
export interface Watched {
  touch(limitMs: number): void
  /** Calls back at every tick, for what must happen while nothing else does. */
  onTick(callback: (nowMs: number) => void): void
  stop(): void
}

interface Entry {
  deadlineMs: number
  readonly lastMs: number
  readonly onExpire: (reason: ExpiryReason) => void
  onTick: ((nowMs: number) => void) | undefined
}

/**
 * Watches many waits with one timer: a stream of thousands of events would otherwise arm thousands of timers.
 * The price is that a limit is noticed up to one tick late.
 */
export class Watchdog {
  readonly #clock: Clock
  readonly #entries = new Set<Entry>()
  readonly #timer: ReturnType<typeof setInterval>

  constructor(clock: Clock, tickMs: number) {
    this.#clock = clock
    this.#timer = setInterval(() => this.#tick(), tickMs)
  }

  watch(waitMs: number, totalMs: number, onExpire: (reason: ExpiryReason) => void): Watched {
    const nowMs = this.#clock.monotonicMs()
    const entry: Entry = {
      deadlineMs: nowMs + waitMs,
      lastMs: nowMs + totalMs,
      onExpire,
      onTick: undefined,
    }
    this.#entries.add(entry)
    return {
      touch: (limitMs) => {
        entry.deadlineMs = this.#clock.monotonicMs() + limitMs
      },
      onTick: (callback) => {
        entry.onTick = callback
      },
      stop: () => this.#entries.delete(entry),
    }
  }

  /** Ends every wait now: the process is stopping. */
  expireAll(): void {
    for (const entry of this.#entries) this.#expire(entry, 'draining')
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const entry of this.#entries) {
      if (nowMs >= entry.deadlineMs || nowMs >= entry.lastMs)
        this.#expire(entry, 'upstream_timeout')
      else entry.onTick?.(nowMs)
    }
  }

  #expire(entry: Entry, reason: ExpiryReason): void {
    this.#entries.delete(entry)
    entry.onExpire(reason)
  }
}
