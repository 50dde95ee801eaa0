import { type Nano, smallerOf } from '../../core/money/money.ts'
import { DatabaseTimeout, isSharedFailure } from '../../store/engine.ts'
import type { HoldRefusal, HoldRequest, HoldVerdict } from '../ledger.ts'
import type { LeaseHold } from './lease-hold.ts'
import type { LeasePool } from './lease-pool.ts'
import { leaseTimes } from './lease-times.ts'

type RefusalOf = (amountNano: Nano) => HoldRefusal

/** How waiting requests get money. */
export interface MoneySource {
  nowMs(): number
  /** Takes from the money that the pool has. */
  take(pool: LeasePool, request: HoldRequest): LeaseHold | undefined
  /** Brings money to the pool from the database or from other leases; otherwise returns the reason. */
  obtain(pool: LeasePool, request: HoldRequest): Promise<HoldRefusal | undefined>
  /** Asks the database once more. Returns why even this amount is refused, or undefined when it is available. */
  stillShort(pool: LeasePool, leastNano: Nano): Promise<RefusalOf | undefined>
  /** Like `stillShort`, after idle money of the account was recalled. */
  lookAgain(pool: LeasePool, leastNano: Nano): Promise<RefusalOf | undefined>
}

interface Waiter {
  readonly request: HoldRequest
  readonly sinceMs: number
  readonly resolve: (verdict: HoldVerdict) => void
  readonly reject: (error: unknown) => void
  /** Other requests hold the money, and this one stays in the queue until some of it comes back. */
  isWaiting: boolean
  timer: ReturnType<typeof setTimeout> | undefined
}

interface WaitQueue {
  readonly waiters: Waiter[]
  /** When money last came back; more may still follow. */
  movedMs: number
  lookedMs: number
  lookEveryMs: number
  wake: (() => void) | undefined
}

/** Above this number, requests of one key are refused at once instead of waiting for money in flight. */
const waitersMax = 1_000
const lookEveryMsMax = 8 * leaseTimes.recallLookMs

/** The requests that found the pool of their key empty, for each key in order of arrival. */
export class WaitQueues {
  readonly #source: MoneySource
  readonly #queues = new Map<LeasePool, WaitQueue>()
  readonly #waitMsMax: number

  constructor(source: MoneySource, waitMsMax = leaseTimes.waitMsMax) {
    this.#source = source
    this.#waitMsMax = waitMsMax
  }

  has(pool: LeasePool): boolean {
    return this.#queues.has(pool)
  }

  join(pool: LeasePool, request: HoldRequest): Promise<HoldVerdict> {
    return new Promise((resolve, reject) => {
      const sinceMs = request.waitsFor === 'in-flight' ? this.#source.nowMs() : 0
      const waiter: Waiter = {
        request,
        sinceMs,
        resolve,
        reject,
        isWaiting: false,
        timer: undefined,
      }
      const known = this.#queues.get(pool)
      const queue = known ?? newQueue()
      queue.waiters.push(waiter)
      waiter.timer = setTimeout(() => this.#giveUp(pool, queue, waiter), this.#waitMsMax)
      if (known) {
        queue.wake?.()
        return
      }
      this.#queues.set(pool, queue)
      void this.#serve(pool, queue)
    })
  }

  /** Serves one request after the other, each as soon as there is money for it. */
  async #serve(pool: LeasePool, queue: WaitQueue): Promise<void> {
    while (queue.waiters.length > 0) {
      const fresh = queue.waiters.filter(({ isWaiting }) => !isWaiting)
      const [first] = fresh
      if (!first) await this.#wait(pool, queue)
      else if (fresh.length < queue.waiters.length) await this.#decideTogether(pool, queue, fresh)
      else await this.#decideFirst(pool, queue, first)
    }
  }

  async #decideFirst(pool: LeasePool, queue: WaitQueue, first: Waiter): Promise<void> {
    try {
      if (this.#serveNow(pool, queue, first)) return
      const refusal = await this.#source.obtain(pool, first.request)
      // A request that has given up must not get money, because it would never settle it.
      if (!queue.waiters.includes(first)) return
      // If a request in flight has taken the money first, the queue starts again.
      if (!refusal) return void this.#serveNow(pool, queue, first)
      this.#refuse(pool, queue, first, refusal)
    } catch (error) {
      // A database that does not answer one request answers none, so the requests do not wait for it one after the
      // other.
      this.#fail(pool, queue, isSharedFailure(error) ? queue.waiters.slice() : [first], error)
      return
    }
    const others = queue.waiters.filter(({ isWaiting }) => !isWaiting)
    if (others.length > 0) await this.#decideTogether(pool, queue, others)
  }

  /**
   * If the first request got no money, the requests behind it most likely get none either. The database is asked once
   * for all of them, after the last one arrived and for the smallest amount among them, so that no request is refused
   * money that was available.
   */
  async #decideTogether(
    pool: LeasePool,
    queue: WaitQueue,
    fresh: readonly Waiter[],
  ): Promise<void> {
    let refusalOf: RefusalOf | undefined
    try {
      refusalOf = await this.#source.stillShort(pool, leastOf(fresh))
    } catch (error) {
      // Each request gets the error from its own attempt; when others already wait, all get it now.
      if (fresh.length === queue.waiters.length && !isSharedFailure(error)) return
      this.#fail(pool, queue, fresh, error)
      return
    }
    this.#serveFromPool(pool, queue)
    if (refusalOf) this.#refuseAll(pool, queue, fresh, refusalOf)
  }

  /**
   * All requests here wait for money that requests in flight hold: until some comes back, or until the next query is
   * due.
   */
  async #wait(pool: LeasePool, queue: WaitQueue): Promise<void> {
    await this.#moved(pool, queue)
    this.#serveFromPool(pool, queue)
    const waiters = queue.waiters.filter(({ isWaiting }) => isWaiting)
    const nowMs = this.#source.nowMs()
    if (waiters.length === 0 || nowMs - queue.lookedMs < queue.lookEveryMs) return
    queue.lookedMs = nowMs
    queue.lookEveryMs = Math.min(2 * queue.lookEveryMs, lookEveryMsMax)
    try {
      const refusalOf = await this.#source.lookAgain(pool, leastOf(waiters))
      this.#serveFromPool(pool, queue)
      if (refusalOf) this.#refuseAll(pool, queue, waiters, refusalOf)
    } catch (error) {
      const leaving = waiters.filter((waiter) => !this.#mayStay(queue, waiter))
      this.#fail(pool, queue, leaving, error)
    }
  }

  async #moved(pool: LeasePool, queue: WaitQueue): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, queue.lookEveryMs)
    queue.wake = resolve
    pool.onFreed = () => {
      queue.movedMs = this.#source.nowMs()
      queue.lookEveryMs = leaseTimes.recallLookMs
      resolve()
    }
    await promise
    clearTimeout(timer)
    queue.wake = undefined
    pool.onFreed = undefined
  }

  /** Serves, in order, the requests that the pool has enough money for. */
  #serveFromPool(pool: LeasePool, queue: WaitQueue): void {
    let tooMuchNano: Nano | undefined
    for (const waiter of queue.waiters.slice()) {
      const { amountNano } = waiter.request
      if (tooMuchNano !== undefined && amountNano >= tooMuchNano) continue
      try {
        const hold = this.#source.take(pool, waiter.request)
        if (hold) this.#answer(pool, queue, waiter, { ok: true, hold })
        else tooMuchNano = amountNano
      } catch (error) {
        this.#fail(pool, queue, [waiter], error)
      }
    }
  }

  #refuseAll(
    pool: LeasePool,
    queue: WaitQueue,
    waiters: readonly Waiter[],
    refusalOf: RefusalOf,
  ): void {
    for (const waiter of waiters) {
      if (queue.waiters.includes(waiter))
        this.#refuse(pool, queue, waiter, refusalOf(waiter.request.amountNano))
    }
  }

  /** A request that is willing to wait stays as long as the money is only held by requests in flight. */
  #refuse(pool: LeasePool, queue: WaitQueue, waiter: Waiter, refusal: HoldRefusal): void {
    waiter.isWaiting =
      refusal.reason === 'quota_in_flight' &&
      waiter.request.waitsFor === 'in-flight' &&
      this.#mayStay(queue, waiter)
    if (!waiter.isWaiting) this.#answer(pool, queue, waiter, { ok: false, refusal })
  }

  #mayStay(queue: WaitQueue, { sinceMs }: Waiter): boolean {
    const nowMs = this.#source.nowMs()
    const lastMs = Math.max(sinceMs, queue.movedMs)
    return (
      nowMs - lastMs < leaseTimes.inFlightMs &&
      nowMs - sinceMs < leaseTimes.inFlightMostMs &&
      queue.waiters.length <= waitersMax
    )
  }

  #answer(pool: LeasePool, queue: WaitQueue, waiter: Waiter, verdict: HoldVerdict): void {
    this.#leave(pool, queue, waiter)
    waiter.resolve(verdict)
  }

  #serveNow(pool: LeasePool, queue: WaitQueue, waiter: Waiter): boolean {
    const hold = this.#source.take(pool, waiter.request)
    if (hold) this.#answer(pool, queue, waiter, { ok: true, hold })
    return hold !== undefined
  }

  #giveUp(pool: LeasePool, queue: WaitQueue, waiter: Waiter): void {
    const seconds = this.#waitMsMax / 1_000
    const error = new DatabaseTimeout(`The database did not grant money within ${seconds} s.`)
    this.#fail(pool, queue, [waiter], error)
    queue.wake?.()
  }

  #fail(pool: LeasePool, queue: WaitQueue, waiters: readonly Waiter[], error: unknown): void {
    for (const waiter of waiters) {
      this.#leave(pool, queue, waiter)
      waiter.reject(error)
    }
  }

  /**
   * The queue ends before its last request continues: a request that has its answer must not find the queue still
   * there.
   */
  #leave(pool: LeasePool, queue: WaitQueue, waiter: Waiter): void {
    clearTimeout(waiter.timer)
    const at = queue.waiters.indexOf(waiter)
    if (at >= 0) queue.waiters.splice(at, 1)
    if (queue.waiters.length === 0) this.#queues.delete(pool)
  }
}

function newQueue(): WaitQueue {
  return {
    waiters: [],
    movedMs: 0,
    lookedMs: 0,
    lookEveryMs: leaseTimes.recallLookMs,
    wake: undefined,
  }
}

function leastOf(waiters: readonly Waiter[]): Nano {
  return waiters
    .map(({ request }) => request.amountNano)
    .reduce((least, amountNano) => smallerOf(least, amountNano))
}
