import type { OwnedLimits } from '../core/limits/rate-limit.ts'
import type { RateCountTable } from '../store/tables/limit-tables.ts'
import type { OwnerState } from './levels.ts'
import { afterTaking, fullInMs, unitMsOf, waitFor } from './rate.ts'

/** The running requests of a process count for this long, unless it repeats them. */
const placeMs = 10_000

/** The running requests of a process, and until when they count. */
type Places = Record<string, readonly [running: number, untilMs: number]>

/** The process that counts, and the time of the database. */
export interface CountingAt {
  readonly nowMs: number
  readonly replica: string
  /** Whether another process runs. */
  isAlive(replica: string): boolean
}

/** What all processes have used of the limits of one owner, while this process has its row locked. */
export class CountState {
  readonly name: string
  readonly #at: CountingAt
  readonly #others: Places
  readonly #elsewhere: number
  #requestsLeftMs: number
  #tokensLeftMs: number
  #running: number

  /** `running`: of this process. */
  constructor(row: RateCountTable, at: CountingAt, running: number) {
    this.name = row.name
    this.#at = at
    this.#running = running
    // A clock that was set back must not make the wait longer.
    const passedMs = Math.max(0, at.nowMs - row.counted_at)
    this.#requestsLeftMs = Math.max(0, row.requests_left_ms - passedMs)
    this.#tokensLeftMs = Math.max(0, row.tokens_left_ms - passedMs)
    const others = Object.entries(placesOf(row.places)).filter(
      ([replica, [, untilMs]]) =>
        replica !== at.replica && untilMs > at.nowMs && at.isAlive(replica),
    )
    this.#others = Object.fromEntries(others)
    this.#elsewhere = others.reduce((sum, [, [count]]) => sum + count, 0)
  }

  ownerState(owned: OwnedLimits): OwnerState & { owned: OwnedLimits; running: number } {
    return {
      owned,
      values: owned.values,
      requestsFullInMs: this.#requestsLeftMs,
      tokensFullInMs: this.#tokensLeftMs,
      running: this.#elsewhere + this.#running,
    }
  }

  hasRoom({ values }: OwnedLimits, tokens: number): boolean {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = values
    if (requestsPerMinute !== null && waitFor(requestsPerMinute, 1, this.#requestsLeftMs) > 0)
      return false
    if (tokensPerMinute !== null && waitFor(tokensPerMinute, tokens, this.#tokensLeftMs) > 0)
      return false
    return concurrentRequests === null || this.#elsewhere + this.#running < concurrentRequests
  }

  take({ values }: OwnedLimits, tokens: number): void {
    const { requestsPerMinute, tokensPerMinute } = values
    this.#running += 1
    this.add(
      requestsPerMinute === null ? 0 : unitMsOf(requestsPerMinute),
      tokensPerMinute === null ? 0 : Math.min(tokens, tokensPerMinute) * unitMsOf(tokensPerMinute),
    )
  }

  /** Without a check; negative to give back. */
  add(requestsMs: number, tokensMs: number): void {
    this.#requestsLeftMs = fullInMs(afterTaking(this.#requestsLeftMs, requestsMs, 0), 0)
    this.#tokensLeftMs = fullInMs(afterTaking(this.#tokensLeftMs, tokensMs, 0), 0)
  }

  row(): RateCountTable {
    const { nowMs, replica } = this.#at
    const places: Places = { ...this.#others }
    if (this.#running > 0) places[replica] = [this.#running, nowMs + placeMs]
    return {
      name: this.name,
      requests_left_ms: this.#requestsLeftMs,
      tokens_left_ms: this.#tokensLeftMs,
      places: textOf(places),
      counted_at: nowMs,
    }
  }
}

/** One word for each process: its name, its running requests, and until when they count. */
function textOf(places: Places): string {
  const words = Object.entries(places).map(
    ([replica, [running, untilMs]]) => `${encodeURIComponent(replica)}:${running}:${untilMs}`,
  )
  return words.join(' ')
}

function placesOf(text: string): Places {
  const words = text.split(' ').flatMap((word) => {
    const [, replica, running, untilMs] = /^(.+):(\d+):(\d+)$/.exec(word) ?? []
    if (replica === undefined) return []
    return [[decodeURIComponent(replica), [Number(running), Number(untilMs)]] as const]
  })
  return Object.fromEntries(words)
}
