import { type Nano, smallerOf } from '../../core/money.ts'
import { DatabaseSilent, isForEverybody } from '../../store/engine.ts'
import type { HoldRefusal, HoldRequest, HoldVerdict } from '../ledger.ts'
import type { LeaseHold } from './lease-hold.ts'
import type { LeasePool } from './lease-pool.ts'
import { leaseTimes } from './lease-times.ts'

type RefusalOf = (amountNano: Nano) => HoldRefusal

/** How those who wait get money. */
export interface MoneySource {
  nowMs(): number
  /** Out of what the pool has. */
  take(pool: LeasePool, request: HoldRequest): LeaseHold | undefined
  /** Brings money to the pool from wherever it is to be had; else the reason why not. */
  obtain(pool: LeasePool, request: HoldRequest): Promise<HoldRefusal | undefined>
  /** Asks the database once more: why not even so little can be had, or undefined when it can. */
  stillShort(pool: LeasePool, leastNano: Nano): Promise<RefusalOf | undefined>
  /** The same, after whoever has money of the account idle was asked for it. */
  lookAgain(pool: LeasePool, leastNano: Nano): Promise<RefusalOf | undefined>
}

interface Waiter {
  readonly request: HoldRequest
  readonly sinceMs: number
  readonly resolve: (verdict: HoldVerdict) => void
  readonly reject: (error: unknown) => void
  /** It was told that others hold the money, and stays until they give some of it back. */
  isWaiting: boolean
  timer: ReturnType<typeof setTimeout> | undefined
}

interface Line {
  readonly waiters: Waiter[]
  /** When money last came back, or somebody came: what is waited for may still come. */
  movedMs: number
  lookedMs: number
  lookEveryMs: number
  wake: (() => void) | undefined
}

/** More of one key do not wait for money that others hold: they are refused at once. */
const waitersMax = 1_000
const lookEveryMsMax = 8 * leaseTimes.recallLookMs

/** The requests that found their key's pool empty, those of one key in the order in which they came. */
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

  /** One request after the other, each as soon as there is money for it. */
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
      // Whoever has given up meanwhile must not be given money that nobody would settle.
      if (!line.waiters.includes(first)) return
      // Should a request under way have taken the money first, the line begins again.
      if (!refusal) return void this.#serveNow(pool, line, first)
      this.#refuse(pool, line, first, refusal)
    } catch (error) {
      // A database that does not answer one of them answers none: they do not wait for it one after the other.
      this.#fail(pool, line, isForEverybody(error) ? line.waiters.slice() : [first], error)
      return
    }
    const others = line.waiters.filter(({ isWaiting }) => !isWaiting)
    if (others.length > 0) await this.#decideTogether(pool, line, others)
  }

  /**
   * What one did not get most likely none of those behind it will. The database is asked once for all of them, after
   * the last of them has come, for the least that any of them needs: nobody is refused what was there.
   */
  async #decideTogether(pool: LeasePool, line: Line, fresh: readonly Waiter[]): Promise<void> {
    let refusalOf: RefusalOf | undefined
    try {
      refusalOf = await this.#source.stillShort(pool, leastOf(fresh))
    } catch (error) {
      // Each of them hears of it on its own; where others wait already, now.
      if (fresh.length === line.waiters.length && !isForEverybody(error)) return
      this.#fail(pool, line, fresh, error)
      return
    }
    this.#serveFromPool(pool, line)
    if (refusalOf) this.#refuseAll(pool, line, fresh, refusalOf)
  }

  /** Everybody here waits for money that requests under way hold: until some comes back, or it is time to look. */
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

  /** Those that the pool has enough for, in their order. */
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

  /** Whoever is patient stays as long as the money is only in use. */
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
    const error = new DatabaseSilent(`The database did not grant money within ${seconds} s.`)
    this.#fail(pool, line, [waiter], error)
    line.wake?.()
  }

  #fail(pool: LeasePool, line: Line, waiters: readonly Waiter[], error: unknown): void {
    for (const waiter of waiters) {
      this.#leave(pool, line, waiter)
      waiter.reject(error)
    }
  }

  /** Nobody who has an answer may find that others still wait: the line ends before its last one goes on. */
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
