import type { LimitKind, LimitValues, OwnedLimits } from '../core/rate-limit.ts'
import { Rate } from './rate.ts'

/** The part of each limit that this process may use, while several processes share the limits. */
export interface Allotment {
  /** Changes whenever a part may have changed. */
  readonly version: number
  /** A whole number. The parts of all processes together are the limit. */
  partOf(name: string, kind: LimitKind, limit: number): number
  /** Whether no other process has had a demand for a limit for a minute. */
  isElseUnused(name: string, kind: LimitKind): boolean
  /** Called for each request with limits. False while this process may use all of each limit. */
  isInUse(nowMs: number): boolean
  /** Records the demand of requests for a limit, including refused ones. */
  note(name: string, kind: LimitKind, count: number, nowMs: number): void
}

/** The owners whose counters are kept. Unused counters are dropped first. */
const countersMax = 100_000
/** Unused counters are looked for after this many new ones. */
const sweepEvery = 1_000

/** Counts the requests of one owner of limits. */
export class OwnerCounter {
  readonly requests = new Rate()
  readonly tokens = new Rate()
  running = 0
  /** The parts of the limits that this process may use. Null: no limit. */
  requestsPart: number | null = null
  tokensPart: number | null = null
  placesPart: number | null = null
  /** The limits that the parts belong to. */
  owned: OwnedLimits
  #values: LimitValues | undefined
  #version = -1

  constructor(owned: OwnedLimits) {
    this.owned = owned
  }

  /** Brings the parts up to date. A larger part does not begin full if another process may have used it. */
  fit(owned: OwnedLimits, allotment: Allotment | undefined, nowMs: number): void {
    const { name, values } = owned
    const version = allotment?.version ?? 0
    if (this.#values === values && this.#version === version) return
    this.owned = owned
    const before = this.#values
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = values
    const partOf = (kind: LimitKind, limit: number | null) =>
      limit === null || !allotment ? limit : allotment.partOf(name, kind, limit)
    const isElseUnused = (kind: LimitKind) => allotment?.isElseUnused(name, kind) === true
    const requestsPart = partOf('requests', requestsPerMinute)
    if (before?.requestsPerMinute === requestsPerMinute)
      resize(this.requests, this.requestsPart, requestsPart, nowMs, isElseUnused('requests'))
    this.requestsPart = requestsPart
    const tokensPart = partOf('tokens', tokensPerMinute)
    if (before?.tokensPerMinute === tokensPerMinute)
      resize(this.tokens, this.tokensPart, tokensPart, nowMs, isElseUnused('tokens'))
    this.tokensPart = tokensPart
    this.placesPart = partOf('concurrent', concurrentRequests)
    this.#values = values
    this.#version = version
  }

  isUnused(nowMs: number): boolean {
    return (
      this.running === 0 && this.requests.fullInMs(nowMs) === 0 && this.tokens.fullInMs(nowMs) === 0
    )
  }
}

function resize(
  rate: Rate,
  from: number | null,
  to: number | null,
  nowMs: number,
  isElseUnused: boolean,
): void {
  if (from !== null && to !== null) rate.resize(from, to, nowMs, isElseUnused)
}

/** The counters of this process, by owner. */
export class Counters {
  readonly #byName = new Map<string, OwnerCounter>()
  #added = 0

  get size(): number {
    return this.#byName.size
  }

  of(owned: OwnedLimits, nowMs: number): OwnerCounter {
    const { name } = owned
    const known = this.#byName.get(name)
    if (known) return known
    this.#added += 1
    if (this.#added % sweepEvery === 0 || this.#byName.size >= countersMax) this.#sweep(nowMs)
    const made = new OwnerCounter(owned)
    this.#byName.set(name, made)
    return made
  }

  /** Drops unused counters. If there are none, the oldest one starts anew, unless a request of it is running. */
  #sweep(nowMs: number): void {
    for (const [name, counter] of this.#byName)
      if (counter.isUnused(nowMs)) this.#byName.delete(name)
    if (this.#byName.size < countersMax) return
    for (const [name, { running }] of this.#byName) {
      if (running > 0) continue
      this.#byName.delete(name)
      return
    }
  }
}
