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
  /** Other requests hold the money, and this one stays in line until some of it comes back. */
  isWaiting: boolean
  timer: ReturnType<typeof setTimeout> | undefined
}

interface Line {
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
export class WaitingLines {
  readonly #source: MoneySource
  readonly #lines = new Map<LeasePool, Line>()
  readonly #waitMsMax: number

  constructor(source: MoneySource, waitMsMax = leaseTimes.waitMsMax) {
    this.#source = source
    this.#waitMsMax = waitMsMax
  }

  has(pool: LeasePool): boolean {
    return this.#lines.has(pool)
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
      const known = this.#lines.get(pool)
      const line = known ?? newLine()
      line.waiters.push(waiter)
      waiter.timer = setTimeout(() => this.#giveUp(pool, line, waiter), this.#waitMsMax)
      if (known) {
        line.wake?.()
        return
      }
      this.#lines.set(pool, line)
      void this.#serve(pool, line)
    })
  }

  /** Serves one request after the other, each as soon as there is money for it. */
  async #serve(pool: LeasePool, line: Line): Promise<void> {
    while (line.waiters.length > 0) {
      const fresh = line.waiters.filter(({ isWaiting }) => !isWaiting)
      const [first] = fresh
      if (!first) await this.#wait(pool, line)
      else if (fresh.length < line.waiters.length) await this.#decideTogether(pool, line, fresh)
      else await this.#decideFirst(pool, line, first)
    }
  }

  async #decideFirst(pool: LeasePool, line: Line, first: Waiter): Promise<void> {
    try {
      if (this.#serveNow(pool, line, first)) return
      const refusal = await this.#source.obtain(pool, first.request)
      // A request that has given up must not get money, because it would never settle it.
      if (!line.waiters.includes(first)) return
      // If a request in flight has taken the money first, the line starts again.
      if (!refusal) return void this.#serveNow(pool, line, first)
      this.#refuse(pool, line, first, refusal)
    } catch (error) {
      // A database that does not answer one request answers none, so the requests do not wait for it one after the
      // other.
      this.#fail(pool, line, isSharedFailure(error) ? line.waiters.slice() : [first], error)
      return
    }
    const others = line.waiters.filter(({ isWaiting }) => !isWaiting)
    if (others.length > 0) await this.#decideTogether(pool, line, others)
  }

  /**
   * If the first request got no money, the requests behind it most likely get none either. The database is asked once
   * for all of them, after the last one arrived and for the smallest amount among them, so that no request is refused
   * money that was available.
   */
  async #decideTogether(pool: LeasePool, line: Line, fresh: readonly Waiter[]): Promise<void> {
    let refusalOf: RefusalOf | undefined
    try {
      refusalOf = await this.#source.stillShort(pool, leastOf(fresh))
    } catch (error) {
      // Each request gets the error from its own attempt; when others already wait, all get it now.
      if (fresh.length === line.waiters.length && !isSharedFailure(error)) return
      this.#fail(pool, line, fresh, error)
      return
    }
    this.#serveFromPool(pool, line)
    if (refusalOf) this.#refuseAll(pool, line, fresh, refusalOf)
  }

  /**
   * All requests here wait for money that requests in flight hold: until some comes back, or until the next query is
   * due.
   */
  async #wait(pool: LeasePool, line: Line): Promise<void> {
    await this.#moved(pool, line)
    this.#serveFromPool(pool, line)
    const waiters = line.waiters.filter(({ isWaiting }) => isWaiting)
    const nowMs = this.#source.nowMs()
    if (waiters.length === 0 || nowMs - line.lookedMs < line.lookEveryMs) return
    line.lookedMs = nowMs
    line.lookEveryMs = Math.min(2 * line.lookEveryMs, lookEveryMsMax)
    try {
      const refusalOf = await this.#source.lookAgain(pool, leastOf(waiters))
      this.#serveFromPool(pool, line)
      if (refusalOf) this.#refuseAll(pool, line, waiters, refusalOf)
    } catch (error) {
      const leaving = waiters.filter((waiter) => !this.#mayStay(line, waiter))
      this.#fail(pool, line, leaving, error)
    }
  }

  async #moved(pool: LeasePool, line: Line): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, line.lookEveryMs)
    line.wake = resolve
    pool.onFreed = () => {
      line.movedMs = this.#source.nowMs()
      line.lookEveryMs = leaseTimes.recallLookMs
      resolve()
    }
    await promise
    clearTimeout(timer)
    line.wake = undefined
    pool.onFreed = undefined
  }

  /** Serves, in order, the requests that the pool has enough money for. */
  #serveFromPool(pool: LeasePool, line: Line): void {
    let tooMuchNano: Nano | undefined
    for (const waiter of line.waiters.slice()) {
      const { amountNano } = waiter.request
      if (tooMuchNano !== undefined && amountNano >= tooMuchNano) continue
      try {
        const hold = this.#source.take(pool, waiter.request)
        if (hold) this.#answer(pool, line, waiter, { ok: true, hold })
        else tooMuchNano = amountNano
      } catch (error) {
        this.#fail(pool, line, [waiter], error)
      }
    }
  }

  #refuseAll(pool: LeasePool, line: Line, waiters: readonly Waiter[], refusalOf: RefusalOf): void {
    for (const waiter of waiters) {
      if (line.waiters.includes(waiter))
        this.#refuse(pool, line, waiter, refusalOf(waiter.request.amountNano))
    }
  }

  /** A request that is willing to wait stays as long as the money is only held by requests in flight. */
  #refuse(pool: LeasePool, line: Line, waiter: Waiter, refusal: HoldRefusal): void {
    waiter.isWaiting =
      refusal.reason === 'quota_in_flight' &&
      waiter.request.waitsFor === 'in-flight' &&
      this.#mayStay(line, waiter)
    if (!waiter.isWaiting) this.#answer(pool, line, waiter, { ok: false, refusal })
  }

  #mayStay(line: Line, { sinceMs }: Waiter): boolean {
    const nowMs = this.#source.nowMs()
    const lastMs = Math.max(sinceMs, line.movedMs)
    return (
      nowMs - lastMs < leaseTimes.inFlightMs &&
      nowMs - sinceMs < leaseTimes.inFlightMostMs &&
      line.waiters.length <= waitersMax
    )
  }

  #answer(pool: LeasePool, line: Line, waiter: Waiter, verdict: HoldVerdict): void {
    this.#leave(pool, line, waiter)
    waiter.resolve(verdict)
  }

  #serveNow(pool: LeasePool, line: Line, waiter: Waiter): boolean {
    const hold = this.#source.take(pool, waiter.request)
    if (hold) this.#answer(pool, line, waiter, { ok: true, hold })
    return hold !== undefined
  }

  #giveUp(pool: LeasePool, line: Line, waiter: Waiter): void {
    const seconds = this.#waitMsMax / 1_000
    const error = new DatabaseTimeout(`The database did not grant money within ${seconds} s.`)
    this.#fail(pool, line, [waiter], error)
    line.wake?.()
  }

  #fail(pool: LeasePool, line: Line, waiters: readonly Waiter[], error: unknown): void {
    for (const waiter of waiters) {
      this.#leave(pool, line, waiter)
      waiter.reject(error)
    }
  }

  /**
   * The line ends before its last request continues: a request that has its answer must not find the line still there.
   */
  #leave(pool: LeasePool, line: Line, waiter: Waiter): void {
    clearTimeout(waiter.timer)
    const at = line.waiters.indexOf(waiter)
    if (at >= 0) line.waiters.splice(at, 1)
    if (line.waiters.length === 0) this.#lines.delete(pool)
  }
}

function newLine(): Line {
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
