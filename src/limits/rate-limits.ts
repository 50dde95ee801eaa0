import type { LimitKind, LimitValues, RateLevel, RateLevels } from '../core/rate-limit.ts'
import { Rate } from './rate.ts'

/** Limits that apply to a request. */
export interface AppliedLimits {
  /** What the limits belong to. */
  readonly owner: 'key'
  readonly id: string
  readonly values: LimitValues
}

export interface LimitRefusal {
  readonly owner: AppliedLimits['owner']
  readonly kind: LimitKind
  readonly limit: number
  /** Until the request can be admitted. How long a running request takes is not known. */
  readonly waitMs: number
}

/** The owners whose counters are kept. Unused counters are dropped first. */
const countersMax = 100_000
/** Unused counters are looked for after this many new ones. */
const sweepEvery = 1_000
/** A client that waits for a running request is asked to come back after this time. */
const concurrentWaitMs = 1_000

class Counter {
  readonly requests = new Rate()
  readonly tokens = new Rate()
  running = 0

  isUnused(nowMs: number): boolean {
    return this.running === 0 && this.requests.isFull(nowMs) && this.tokens.isFull(nowMs)
  }
}

/** Counts the requests and tokens of this process, and admits what all limits of a request allow together. */
export class RateLimits {
  readonly #counters = new Map<string, Counter>()
  readonly #nowMs: () => number
  #added = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /**
   * Takes a request of about `tokens` from every limit, or from none: the refusal is that of the limit that takes
   * longest to admit the request.
   */
  admit(applied: readonly AppliedLimits[], tokens: number): Permit | LimitRefusal {
    const refusal = this.foresee(applied, tokens)
    if (refusal) return refusal
    const nowMs = this.#nowMs()
    const counters = applied.map((each) => this.#counterOf(each, nowMs))
    for (const [index, { values }] of applied.entries()) {
      const counter = counters[index]
      if (!counter) continue
      counter.running += 1
      if (values.requestsPerMinute !== null)
        counter.requests.take(values.requestsPerMinute, 1, nowMs)
      if (values.tokensPerMinute !== null)
        counter.tokens.take(values.tokensPerMinute, tokens, nowMs)
    }
    return new Permit(applied, counters, tokens, this.#nowMs)
  }

  /** The refusal that the request would get now. Takes nothing. */
  foresee(applied: readonly AppliedLimits[], tokens: number): LimitRefusal | undefined {
    const nowMs = this.#nowMs()
    let refusal: LimitRefusal | undefined
    for (const each of applied) {
      const found = refusalOf(each, this.#counterOf(each, nowMs), tokens, nowMs)
      if (found && found.waitMs > (refusal?.waitMs ?? 0)) refusal = found
    }
    return refusal
  }

  /** The tightest of the limits, now. */
  levels(applied: readonly AppliedLimits[]): RateLevels {
    const nowMs = this.#nowMs()
    return levelsOf(
      applied,
      applied.map((each) => this.#counterOf(each, nowMs)),
      nowMs,
    )
  }

  /** The number of owners with counters. */
  get size(): number {
    return this.#counters.size
  }

  #counterOf({ owner, id }: AppliedLimits, nowMs: number): Counter {
    const name = `${owner}\n${id}`
    const known = this.#counters.get(name)
    if (known) return known
    this.#added += 1
    if (this.#added % sweepEvery === 0 || this.#counters.size >= countersMax) this.#sweep(nowMs)
    const made = new Counter()
    this.#counters.set(name, made)
    return made
  }

  /** Drops unused counters. If there are none, the oldest one starts anew, unless a request of it is running. */
  #sweep(nowMs: number): void {
    for (const [name, counter] of this.#counters)
      if (counter.isUnused(nowMs)) this.#counters.delete(name)
    if (this.#counters.size < countersMax) return
    for (const [name, { running }] of this.#counters) {
      if (running > 0) continue
      this.#counters.delete(name)
      return
    }
  }
}

function refusalOf(
  { owner, values }: AppliedLimits,
  counter: Counter,
  tokens: number,
  nowMs: number,
): LimitRefusal | undefined {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = values
  const waits: [LimitKind, number | null, number][] = [
    [
      'requests',
      requestsPerMinute,
      requestsPerMinute === null ? 0 : counter.requests.waitMs(requestsPerMinute, 1, nowMs),
    ],
    [
      'tokens',
      tokensPerMinute,
      tokensPerMinute === null ? 0 : counter.tokens.waitMs(tokensPerMinute, tokens, nowMs),
    ],
    [
      'concurrent',
      concurrentRequests,
      concurrentRequests !== null && counter.running >= concurrentRequests ? concurrentWaitMs : 0,
    ],
  ]
  let refusal: LimitRefusal | undefined
  for (const [kind, limit, waitMs] of waits) {
    if (limit === null || waitMs <= (refusal?.waitMs ?? 0)) continue
    refusal = { owner, kind, limit, waitMs }
  }
  return refusal
}

/** An admitted request. It ends exactly once. */
export class Permit {
  readonly #applied: readonly AppliedLimits[]
  readonly #counters: readonly Counter[]
  readonly #tokens: number
  readonly #nowMs: () => number
  #hasEnded = false

  constructor(
    applied: readonly AppliedLimits[],
    counters: readonly Counter[],
    tokens: number,
    nowMs: () => number,
  ) {
    this.#applied = applied
    this.#counters = counters
    this.#tokens = tokens
    this.#nowMs = nowMs
  }

  /** The request has ended with this many tokens, which replace the estimate. */
  end(tokens: number): void {
    this.#finish((limits, counter, nowMs) => {
      const { tokensPerMinute } = limits
      if (tokensPerMinute === null) return
      const taken = Math.min(this.#tokens, tokensPerMinute)
      counter.tokens.correct(tokensPerMinute, tokens - taken, nowMs)
    })
  }

  /** The request was refused for another reason, so it counts nowhere. */
  giveBack(): void {
    this.#finish(({ requestsPerMinute, tokensPerMinute }, counter, nowMs) => {
      if (requestsPerMinute !== null) counter.requests.correct(requestsPerMinute, -1, nowMs)
      if (tokensPerMinute === null) return
      counter.tokens.correct(tokensPerMinute, -Math.min(this.#tokens, tokensPerMinute), nowMs)
    })
  }

  /** The tightest of the limits, now. */
  levels(): RateLevels {
    return levelsOf(this.#applied, this.#counters, this.#nowMs())
  }

  #finish(settle: (limits: LimitValues, counter: Counter, nowMs: number) => void): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const nowMs = this.#nowMs()
    for (const [index, { values }] of this.#applied.entries()) {
      const counter = this.#counters[index]
      if (!counter) continue
      counter.running -= 1
      settle(values, counter, nowMs)
    }
  }
}

function levelsOf(
  applied: readonly AppliedLimits[],
  counters: readonly Counter[],
  nowMs: number,
): RateLevels {
  let requests: RateLevel | undefined
  let tokens: RateLevel | undefined
  for (const [index, { values }] of applied.entries()) {
    const counter = counters[index]
    if (!counter) continue
    const { requestsPerMinute, tokensPerMinute } = values
    if (requestsPerMinute !== null)
      requests = tighter(requests, counter.requests.level(requestsPerMinute, nowMs))
    if (tokensPerMinute !== null)
      tokens = tighter(tokens, counter.tokens.level(tokensPerMinute, nowMs))
  }
  return { requests, tokens }
}

function tighter(one: RateLevel | undefined, other: RateLevel): RateLevel {
  return one === undefined || other.remaining < one.remaining ? other : one
}
