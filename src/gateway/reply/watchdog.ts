import type { Clock } from '../../core/clock.ts'
import { DenseSet, type DenseSetMember } from '../../core/dense-set.ts'

export type ExpiryReason = 'upstream_timeout' | 'draining' | 'client_gone'

/** What is being waited for, as the watchdog sees it. */
export interface Waiting {
  /** The wait is over, one way or the other; called once. */
  expire(reason: ExpiryReason): void
  /** Whether the caller has closed its connection. */
  isClientGone(): boolean
  /** Whether the caller takes nothing: then the upstream is not what is waited for. */
  readonly isHeldUp: boolean
  /** Whether it has been told that nobody wants the answer. */
  readonly hasLeft: boolean
  /** Nobody wants the answer any more: it sets itself a new limit, or ends the wait; called until it has left. */
  clientLeft(nowMs: number): void
  /** Nothing is waited for any more; called once, however it ended. */
  leave(): void
}

/** A wait with a limit. */
export class Watched implements DenseSetMember {
  denseIndex: number | undefined
  deadlineMs: number
  lastMs: number
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

  /** The last wait of all. */
  endBy(nowMs: number, limitMs: number): void {
    this.lastMs = nowMs + limitMs
    this.deadlineMs = this.lastMs
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
  readonly #watched = new DenseSet<Watched>()
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
    if (this.#watched.remove(watched)) watched.waiting.leave()
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
      if (watched.denseIndex === undefined) continue
      const { waiting } = watched
      const isLate = nowMs >= watched.deadlineMs || nowMs >= watched.lastMs
      if (this.#isEnding) this.#expire(watched, 'draining')
      else if (!waiting.hasLeft && (waiting.isClientGone() || (isLate && waiting.isHeldUp))) {
        waiting.clientLeft(nowMs)
      } else if (isLate) this.#expire(watched, waiting.hasLeft ? 'client_gone' : 'upstream_timeout')
      else watched.onTick?.(nowMs)
    }
  }

  #expire(watched: Watched, reason: ExpiryReason): void {
    this.forget(watched)
    watched.waiting.expire(reason)
  }
}
