import { DenseSet, type DenseSetMember } from '../../core/runtime/dense-set.ts'
import type { Clock } from '../../core/time/clock.ts'

export type ExpiryReason = 'upstream_timeout' | 'draining' | 'client_gone'

/** A wait that the watchdog bounds. */
export interface BoundedWait {
  /** Ends the wait; called once. */
  expire(reason: ExpiryReason): void
  /** Whether the client has closed its connection. */
  isClientGone(): boolean
  /** Whether the client does not read: then the wait is not the upstream's fault. */
  readonly isHeldUp: boolean
  /** Whether `clientLeft` has taken effect. */
  readonly hasLeft: boolean
  /**
   * The client has disconnected. The implementation sets a new limit or ends the wait. Called at every tick until
   * `hasLeft` is true.
   */
  clientLeft(nowMs: number): void
  /** Called once when the wait has ended for any reason. */
  leave(): void
}

/** A wait with a limit. */
export class WatchedWait implements DenseSetMember {
  denseIndex: number | undefined
  deadlineMs: number
  lastMs: number
  readonly waiting: BoundedWait
  /** Called at every tick, for work that must happen during silence. */
  onTick: ((nowMs: number) => void) | undefined
  readonly #watchdog: Watchdog

  constructor(watchdog: Watchdog, deadlineMs: number, lastMs: number, waiting: BoundedWait) {
    this.#watchdog = watchdog
    this.deadlineMs = deadlineMs
    this.lastMs = lastMs
    this.waiting = waiting
  }

  /** Starts a new wait. */
  touch(nowMs: number, limitMs: number): void {
    this.deadlineMs = nowMs + limitMs
  }

  /** Starts the last wait. */
  endBy(nowMs: number, limitMs: number): void {
    this.lastMs = nowMs + limitMs
    this.deadlineMs = this.lastMs
  }

  stop(): void {
    this.#watchdog.forget(this)
  }
}

/**
 * Watches many waits with one timer. A stream of thousands of events would otherwise set thousands of timers, and a
 * notification of disconnects costs more than polling. In return, an expired limit or a disconnected client is noticed
 * up to one tick late.
 */
export class Watchdog {
  readonly #clock: Clock
  readonly #watched = new DenseSet<WatchedWait>()
  readonly #timer: ReturnType<typeof setInterval>
  #isEnding = false

  constructor(clock: Clock, tickMs: number) {
    this.#clock = clock
    this.#timer = setInterval(() => this.#tick(), tickMs)
  }

  /** Whether a new wait would be ended at once. */
  get isEnding(): boolean {
    return this.#isEnding
  }

  watch(nowMs: number, waitMs: number, totalMs: number, waiting: BoundedWait): WatchedWait {
    const watched = new WatchedWait(this, nowMs + waitMs, nowMs + totalMs, waiting)
    this.#watched.add(watched)
    return watched
  }

  forget(watched: WatchedWait): void {
    if (this.#watched.remove(watched)) watched.waiting.leave()
  }

  /** Ends every wait now, and all later ones: the process is stopping. */
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
      // The end of another wait may have ended this one.
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

  #expire(watched: WatchedWait, reason: ExpiryReason): void {
    this.forget(watched)
    watched.waiting.expire(reason)
  }
}
