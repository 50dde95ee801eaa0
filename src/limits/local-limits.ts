import type { LimitKind, OwnedLimits, RateLevels } from '../core/rate-limit.ts'
import { type Allotment, Counters, type OwnerCounter } from './counters.ts'
import { type FoundLevel, tighter } from './levels.ts'
import {
  concurrentWaitMs,
  type Limiter,
  type LimitRefusal,
  type Permit,
  refusalBy,
} from './limiter.ts'
import { type Taken, waitFor } from './rate.ts'

/** Counts the requests and tokens of this process, and admits what all limits of a request allow together. */
export class LocalLimits implements Limiter {
  readonly isRemote = false
  readonly #counters = new Counters()
  readonly #nowMs: () => number
  readonly #allotment: Allotment | undefined

  constructor(nowMs: () => number, allotment?: Allotment) {
    this.#nowMs = nowMs
    this.#allotment = allotment
  }

  admit(applied: readonly OwnedLimits[], tokens: number): LocalPermit | LimitRefusal {
    const nowMs = this.#nowMs()
    // First, because the parts may have ended.
    const isShared = this.#allotment?.isInUse(nowMs) === true
    const counters = this.#countersOf(applied, nowMs)
    if (isShared && this.#allotment) note(this.#allotment, counters, tokens, nowMs)
    return refusalOf(counters, tokens, nowMs) ?? this.#take(counters, tokens, nowMs)
  }

  /** Counts a request that was admitted elsewhere. */
  count(applied: readonly OwnedLimits[], tokens: number): LocalPermit {
    const nowMs = this.#nowMs()
    return this.#take(this.#countersOf(applied, nowMs), tokens, nowMs)
  }

  preview(applied: readonly OwnedLimits[], tokens: number): LimitRefusal | undefined {
    const nowMs = this.#nowMs()
    return refusalOf(this.#countersOf(applied, nowMs), tokens, nowMs)
  }

  /** The number of owners with counters. */
  get size(): number {
    return this.#counters.size
  }

  #countersOf(applied: readonly OwnedLimits[], nowMs: number): OwnerCounter[] {
    const counters: OwnerCounter[] = []
    for (const each of applied) {
      const counter = this.#counters.of(each, nowMs)
      counter.fit(each, this.#allotment, nowMs)
      counters.push(counter)
    }
    return counters
  }

  #take(counters: readonly OwnerCounter[], tokens: number, nowMs: number): LocalPermit {
    const taken: (Taken | undefined)[] = []
    for (const counter of counters) {
      counter.running += 1
      const { requestsPart, tokensPart } = counter
      if (requestsPart !== null) counter.requests.take(requestsPart, 1, nowMs)
      taken.push(tokensPart === null ? undefined : takeTokens(counter, tokensPart, tokens, nowMs))
    }
    return new LocalPermit(counters, taken, this.#nowMs)
  }
}

function note(
  allotment: Allotment,
  counters: readonly OwnerCounter[],
  tokens: number,
  nowMs: number,
): void {
  for (const { owned, running } of counters) {
    const { name, values } = owned
    if (values.requestsPerMinute !== null) allotment.note(name, 'requests', 1, nowMs)
    if (values.tokensPerMinute !== null) allotment.note(name, 'tokens', tokens, nowMs)
    if (values.concurrentRequests !== null) allotment.note(name, 'concurrent', running + 1, nowMs)
  }
}

function refusalOf(
  counters: readonly OwnerCounter[],
  tokens: number,
  nowMs: number,
): LimitRefusal | undefined {
  let longestMs = 0
  let reached: OwnerCounter | undefined
  let kind: LimitKind = 'requests'
  for (const counter of counters) {
    const { requestsPart, tokensPart, placesPart } = counter
    if (requestsPart !== null) {
      const waitMs = waitFor(requestsPart, 1, counter.requests.fullInMs(nowMs))
      if (waitMs > longestMs) {
        longestMs = waitMs
        reached = counter
        kind = 'requests'
      }
    }
    if (tokensPart !== null) {
      const waitMs = waitFor(tokensPart, tokens, counter.tokens.fullInMs(nowMs))
      if (waitMs > longestMs) {
        longestMs = waitMs
        reached = counter
        kind = 'tokens'
      }
    }
    if (placesPart !== null && counter.running >= placesPart && concurrentWaitMs > longestMs) {
      longestMs = concurrentWaitMs
      reached = counter
      kind = 'concurrent'
    }
  }
  if (!reached) return undefined
  const tightest = levelsOf(counters, nowMs)
  return refusalBy(reached.owned, kind, longestMs, tightest, levelsOf([reached], nowMs))
}

function levelsOf(counters: readonly OwnerCounter[], nowMs: number): RateLevels {
  let requests: FoundLevel | undefined
  let tokens: FoundLevel | undefined
  for (const counter of counters) {
    const { requestsPerMinute, tokensPerMinute } = counter.owned.values
    const { requestsPart, tokensPart } = counter
    if (requestsPerMinute !== null && requestsPart !== null) {
      const fullInMs = counter.requests.fullInMs(nowMs)
      requests = tighter(requests, requestsPerMinute, fullInMs, requestsPart)
    }
    if (tokensPerMinute !== null && tokensPart !== null) {
      const fullInMs = counter.tokens.fullInMs(nowMs)
      tokens = tighter(tokens, tokensPerMinute, fullInMs, tokensPart)
    }
  }
  return { requests, tokens }
}

function takeTokens(counter: OwnerCounter, part: number, tokens: number, nowMs: number): Taken {
  const count = Math.min(tokens, part)
  counter.tokens.take(part, count, nowMs)
  return { count, part, limit: counter.owned.values.tokensPerMinute ?? 0 }
}

/** Puts the true usage in place of the estimate. The limit may have changed meanwhile. */
function correct(
  { tokens: rate, owned }: OwnerCounter,
  part: number,
  taken: Taken | undefined,
  tokens: number,
  nowMs: number,
): void {
  if (taken === undefined || taken.limit === owned.values.tokensPerMinute)
    rate.take(part, tokens - (taken?.count ?? 0), nowMs)
  else rate.replace(taken, part, tokens, nowMs)
}

/** An admitted request that this process counts. */
export class LocalPermit implements Permit {
  readonly #counters: readonly OwnerCounter[]
  /** The tokens that each counter has counted so far; undefined without a limit. */
  readonly #taken: readonly (Taken | undefined)[]
  readonly #nowMs: () => number
  #endedMs: number | undefined

  constructor(
    counters: readonly OwnerCounter[],
    taken: readonly (Taken | undefined)[],
    nowMs: () => number,
  ) {
    this.#counters = counters
    this.#taken = taken
    this.#nowMs = nowMs
  }

  end(tokens: number): void {
    this.#finish(tokens, 0)
  }

  giveBack(): void {
    this.#finish(0, 1)
  }

  /** After the end of the request: as at its end, which is the moment before its answer. */
  levels(): RateLevels {
    return levelsOf(this.#counters, this.#endedMs ?? this.#nowMs())
  }

  #finish(tokens: number, requestsBack: number): void {
    if (this.#endedMs !== undefined) return
    const nowMs = this.#nowMs()
    this.#endedMs = nowMs
    for (const [index, counter] of this.#counters.entries()) {
      counter.running -= 1
      const { requestsPart, tokensPart } = counter
      if (requestsPart !== null && requestsBack > 0)
        counter.requests.take(requestsPart, -requestsBack, nowMs)
      if (tokensPart !== null) correct(counter, tokensPart, this.#taken[index], tokens, nowMs)
    }
  }
}
