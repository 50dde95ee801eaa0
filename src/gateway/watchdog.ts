import type { Clock } from '../core/clock.ts'
import { Roll, type RollMember } from '../core/roll.ts'

export type ExpiryReason = 'upstream_timeout' | 'draining' | 'client_gone'

/** What is being waited for, as the watchdog sees it. */
export interface Waiting {
  /** The wait is over, one way or the other; called once. */
  expire(reason: ExpiryReason): void
  /** Whether anybody still wants the answer. */
  isClientGone(): boolean
  /** Nothing is waited for any more; called once, however it ended. */
  leave(): void
}

/** A wait with a limit. */
export class Watched implements RollMember {
  rollPlace: number | undefined
  deadlineMs: number
  readonly lastMs: number
  readonly waiting: Waiting
  /** Called at every tick, for what must happen while nothing else does. */
  onTick: ((nowMs: number) => void) | undefined
  readonly #dog: Watchdog

  constructor(dog: Watchdog, deadlineMs: number, lastMs: number, waiting: Waiting) {
    this.#dog = dog
    this.deadlineMs = deadlineMs
    this.lastMs = lastMs
    this.waiting = waiting
  }

  /** A new wait begins. */
  touch(nowMs: number, limitMs: number): void {
    this.deadlineMs = nowMs + limitMs
  }

  stop(): void {
    this.#dog.forget(this)
  }
}

/**
 * Watches many waits with one timer: a stream of thousands of events would otherwise arm thousands of timers, and
 * asking to be told when a client goes away costs more than looking now and then. The price is that a limit, or a
 * client that has gone, is noticed up to one tick late.
 */
export class Watchdog {
  readonly #clock: Clock
  readonly #watched = new Roll<Watched>()
  readonly #timer: ReturnType<typeof setInterval>
  #isEnding = false

  constructor(clock: Clock, tickMs: number) {
    this.#clock = clock
    this.#timer = setInterval(() => this.#tick(), tickMs)
  }

  /** Whether whatever begins now would be ended at once. */
  get isEnding(): boolean {
    return this.#isEnding
  }

  watch(nowMs: number, waitMs: number, totalMs: number, waiting: Waiting): Watched {
    const watched = new Watched(this, nowMs + waitMs, nowMs + totalMs, waiting)
    this.#watched.add(watched)
    return watched
  }

  forget(watched: Watched): void {
    if (this.#watched.strike(watched)) watched.waiting.leave()
  }

  /** Ends every wait now, and those that begin later: the process is stopping. */
  expireAll(): void {
    this.#isEnding = true
    for (const watched of this.#watched.list()) this.#expire(watched, 'draining')
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const watched of this.#watched.list()) {
      // Another one's end may have been its end, too.
      if (watched.rollPlace === undefined) continue
      if (watched.waiting.isClientGone()) this.#expire(watched, 'client_gone')
      else if (this.#isEnding) this.#expire(watched, 'draining')
      else if (nowMs >= watched.deadlineMs || nowMs >= watched.lastMs) {
        this.#expire(watched, 'upstream_timeout')
      } else watched.onTick?.(nowMs)
    }
  }

  #expire(watched: Watched, reason: ExpiryReason): void {
    this.forget(watched)
    watched.waiting.expire(reason)
  }
}
