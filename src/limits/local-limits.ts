import type { LimitKind, OwnedLimits, RateLevels } from '../core/rate-limit.ts'
import { type Allotment, type Counter, Counters } from './counters.ts'
import { tightestOf } from './levels.ts'
import { concurrentWaitMs, type Limiter, LimitRefusal, type Permit } from './limiter.ts'
import { waitFor } from './rate.ts'

/** Counts the requests and tokens of this process, and admits what all limits of a request allow together. */
export class LocalLimits implements Limiter {
  readonly #counters = new Counters()
  readonly #nowMs: () => number
  readonly #allotment: Allotment | undefined

  constructor(nowMs: () => number, allotment?: Allotment) {
    this.#nowMs = nowMs
    this.#allotment = allotment
  }

  admit(applied: readonly OwnedLimits[], tokens: number): LocalPermit | LimitRefusal {
    const nowMs = this.#nowMs()
    const counters = this.#countersOf(applied, nowMs)
    if (this.#allotment) note(this.#allotment, applied, counters, tokens)
    return (
      refusalOf(applied, counters, tokens, nowMs) ?? this.#take(applied, counters, tokens, nowMs)
    )
  }

  /** Counts a request that was admitted elsewhere. */
  count(applied: readonly OwnedLimits[], tokens: number): LocalPermit {
    const nowMs = this.#nowMs()
    return this.#take(applied, this.#countersOf(applied, nowMs), tokens, nowMs)
  }

  preview(applied: readonly OwnedLimits[], tokens: number): LimitRefusal | undefined {
    const nowMs = this.#nowMs()
    return refusalOf(applied, this.#countersOf(applied, nowMs), tokens, nowMs)
  }

  /** The number of owners with counters. */
  get size(): number {
    return this.#counters.size
  }

  #countersOf(applied: readonly OwnedLimits[], nowMs: number): Counter[] {
    const counters: Counter[] = []
    for (const each of applied) {
      const counter = this.#counters.of(each.name, nowMs)
      counter.fit(each, this.#allotment, nowMs)
      counters.push(counter)
    }
    return counters
  }

  #take(
    applied: readonly OwnedLimits[],
    counters: readonly Counter[],
    tokens: number,
    nowMs: number,
  ): LocalPermit {
    for (const counter of counters) {
      counter.running += 1
      const { requestsPart, tokensPart } = counter
      if (requestsPart !== null) counter.requests.take(requestsPart, 1, nowMs)
      if (tokensPart !== null) counter.tokens.take(tokensPart, Math.min(tokens, tokensPart), nowMs)
    }
    return new LocalPermit(applied, counters, tokens, this.#nowMs)
  }
}

function note(
  allotment: Allotment,
  applied: readonly OwnedLimits[],
  counters: readonly Counter[],
  tokens: number,
): void {
  for (const [index, { name, values }] of applied.entries()) {
    if (values.requestsPerMinute !== null) allotment.note(name, 'requests', 1)
    if (values.tokensPerMinute !== null) allotment.note(name, 'tokens', tokens)
    if (values.concurrentRequests !== null)
      allotment.note(name, 'concurrent', (counters[index]?.running ?? 0) + 1)
  }
}

function refusalOf(
  applied: readonly OwnedLimits[],
  counters: readonly Counter[],
  tokens: number,
  nowMs: number,
): LimitRefusal | undefined {
  let longestMs = 0
  let found: readonly [index: number, kind: LimitKind] | undefined
  for (const [index, counter] of counters.entries()) {
    const { requestsPart, tokensPart, placesPart } = counter
    if (requestsPart !== null) {
      const waitMs = waitFor(requestsPart, 1, counter.requests.fullInMs(nowMs))
      if (waitMs > longestMs) {
        longestMs = waitMs
        found = [index, 'requests']
      }
    }
    if (tokensPart !== null) {
      const waitMs = waitFor(tokensPart, tokens, counter.tokens.fullInMs(nowMs))
      if (waitMs > longestMs) {
        longestMs = waitMs
        found = [index, 'tokens']
      }
    }
    if (placesPart !== null && counter.running >= placesPart && concurrentWaitMs > longestMs) {
      longestMs = concurrentWaitMs
      found = [index, 'concurrent']
    }
  }
  if (!found) return undefined
  const levels = levelsOf(applied, counters, nowMs)
  return makeRefusal(applied, found, longestMs, levels)
}

export function makeRefusal(
  applied: readonly OwnedLimits[],
  [index, kind]: readonly [index: number, kind: LimitKind],
  waitMs: number,
  levels: RateLevels,
): LimitRefusal | undefined {
  const reached = applied[index]
  if (!reached) return undefined
  const { owner, values } = reached
  const limit = {
    requests: values.requestsPerMinute,
    tokens: values.tokensPerMinute,
    concurrent: values.concurrentRequests,
  }[kind]
  return new LimitRefusal({ owner, kind, limit: limit ?? 0, waitMs, levels })
}

function levelsOf(
  applied: readonly OwnedLimits[],
  counters: readonly Counter[],
  nowMs: number,
): RateLevels {
  return tightestOf(applied, (index) => {
    const counter = counters[index]
    return {
      requestsFullInMs: counter?.requests.fullInMs(nowMs) ?? 0,
      tokensFullInMs: counter?.tokens.fullInMs(nowMs) ?? 0,
      requestsPart: counter?.requestsPart ?? null,
      tokensPart: counter?.tokensPart ?? null,
    }
  })
}

/** An admitted request that this process counts. */
export class LocalPermit implements Permit {
  readonly #applied: readonly OwnedLimits[]
  readonly #counters: readonly Counter[]
  readonly #tokens: number
  readonly #nowMs: () => number
  #hasEnded = false

  constructor(
    applied: readonly OwnedLimits[],
    counters: readonly Counter[],
    tokens: number,
    nowMs: () => number,
  ) {
    this.#applied = applied
    this.#counters = counters
    this.#tokens = tokens
    this.#nowMs = nowMs
  }

  end(tokens: number): void {
    this.#finish(tokens, 0)
  }

  giveBack(): void {
    this.#finish(0, 1)
  }

  levels(): RateLevels {
    return levelsOf(this.#applied, this.#counters, this.#nowMs())
  }

  #finish(tokens: number, requestsBack: number): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const nowMs = this.#nowMs()
    for (const counter of this.#counters) {
      counter.running -= 1
      const { requestsPart, tokensPart } = counter
      if (requestsPart !== null && requestsBack > 0)
        counter.requests.take(requestsPart, -requestsBack, nowMs)
      if (tokensPart !== null)
        counter.tokens.take(tokensPart, tokens - Math.min(this.#tokens, tokensPart), nowMs)
    }
  }
}
