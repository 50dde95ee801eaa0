import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../core/time/clock.ts'
import { WorkGate } from '../access/work-gate.ts'

export const exportLimits = {
  /** Concurrent exports of this process, and of one user. */
  atOnceMax: 4,
  perUserMax: 2,
  /** An export whose client reads nothing for this long is ended, so that others can start. */
  idleMs: 60_000,
  /**
   * After each page the export pauses for this multiple of the time that the page took, so that requests get the
   * processor.
   */
  restTimes: 3,
}

/** Limits the load of exports: a few at a time, one page at a time, with pauses. */
export class ExportLimiter {
  readonly #clock: Clock
  readonly #users = new Map<string, number>()
  readonly #pages = new WorkGate({ runningMax: 1, waitingMax: exportLimits.atOnceMax })
  #open = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get open(): number {
    return this.#open
  }

  /**
   * Starts an export. Returns a function that ends it, which may be called more than once; undefined if no more may
   * start.
   */
  begin(userId: string): (() => void) | undefined {
    const own = this.#users.get(userId) ?? 0
    if (this.#open >= exportLimits.atOnceMax || own >= exportLimits.perUserMax) return undefined
    this.#open += 1
    this.#users.set(userId, own + 1)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#open -= 1
      const left = (this.#users.get(userId) ?? 1) - 1
      if (left === 0) this.#users.delete(userId)
      else this.#users.set(userId, left)
    }
  }

  /** Reads and formats a page while no other export does. */
  async page<Page>(read: () => Promise<Page>, write: (page: Page) => string): Promise<string> {
    const text = await this.#pages.run(false, async () => {
      const page = await read()
      const startMs = this.#clock.monotonicMs()
      const written = write(page)
      const restMs = (this.#clock.monotonicMs() - startMs) * exportLimits.restTimes
      if (restMs >= 1) await sleep(restMs)
      return written
    })
    if (text === undefined) throw new Error('more exports wait for a page than may be open')
    return text
  }
}
