import type { LimitKind, OwnedLimits, RateLevels } from '../core/limits/rate-limit.ts'
import type { Allotment, RateKind, Terms, UsedLimit } from './allotment.ts'
import { finish, take } from './counter-row.ts'
import { type CounterSet, Counters, type OwnerCounter } from './counters.ts'
import { type FoundLevel, type OwnerState, tighter, wholeLevels } from './levels.ts'
import {
  concurrentWaitMs,
  type Limiter,
  type LimitRefusal,
  type Permit,
  refusalBy,
} from './limiter.ts'
import { afterTaking, fullInMs, waitFor } from './rate.ts'

/** How long responses repeat the levels that another response was told. */
const toldForMs = 10

/** Counts the requests and tokens of this process, and admits what all limits of a request allow together. */
export class LocalLimits implements Limiter {
  readonly isRemote = false
  readonly #counters: Counters
  readonly #nowMs: () => number
  readonly #allotment: Allotment | undefined
  readonly #permitDeps: PermitDeps

  constructor(nowMs: () => number, allotment?: Allotment) {
    this.#nowMs = nowMs
    this.#allotment = allotment
    this.#counters = new Counters(allotment)
    this.#permitDeps = { nowMs, allotment, counters: this.#counters }
  }

  admit(applied: readonly OwnedLimits[], tokens: number): LocalPermit | LimitRefusal {
    const nowMs = this.#nowMs()
    // First, because the parts may have ended.
    const isShared = this.#allotment?.isInUse(nowMs) === true
    const set = this.#counters.of(applied, nowMs)
    const { counters } = set
    if (isShared && this.#allotment) note(this.#allotment, counters, tokens, nowMs)
    if (!take(set.rows, tokens, nowMs)) {
      const refusal = refusalOf(counters, tokens, nowMs)
      if (!refusal) throw new Error('a request was refused, but no limit is reached')
      return refusal
    }
    set.admitted += 1
    return new LocalPermit(set, tokens, this.#permitDeps)
  }

  /** Takes over what a server has counted for all processes, with a request that it has admitted. */
  follow(states: readonly CountedOwner[]): FollowedRequest {
    const nowMs = this.#nowMs()
    const owners = states.map(({ owned }) => owned)
    const { counters } = this.#counters.of(owners, nowMs)
    for (const [index, { requestsFullInMs, tokensFullInMs }] of states.entries()) {
      const counter = counters[index]
      if (!counter) continue
      counter.running += 1
      counter.mirror('requests', nowMs + requestsFullInMs, 0)
      counter.mirror('tokens', nowMs + tokensFullInMs, 0)
    }
    return new FollowedRequest(counters, this.#nowMs)
  }

  preview(applied: readonly OwnedLimits[], tokens: number): LimitRefusal | undefined {
    const nowMs = this.#nowMs()
    return refusalOf(this.#counters.of(applied, nowMs).counters, tokens, nowMs)
  }

  /** The tightest of the limits now. */
  levels(applied: readonly OwnedLimits[]): RateLevels {
    const nowMs = this.#nowMs()
    return levelsOf(this.#counters.of(applied, nowMs).counters, nowMs)
  }

  /** The running requests of an owner. */
  runningOf(name: string): number {
    return this.#counters.runningOf(name)
  }

  /** The limits of the owners with running requests. */
  get occupied(): readonly OwnedLimits[] {
    return this.#counters.occupied
  }

  /** What this process has used and has not come back. */
  used(): Iterable<UsedLimit> {
    return this.#counters.used(this.#nowMs())
  }

  /** Applies the present parts also to owners without requests. */
  fitAll(): void {
    this.#counters.fitAll(this.#nowMs())
  }

  /**
   * Takes over what the database has counted for all processes, and `ownMs` that it does not know yet. A process that
   * uses only its part takes over nothing.
   */
  mirror(name: string, kind: RateKind, leftMs: number, ownMs: number): void {
    const counter = this.#counters.find(name)
    if (counter?.terms.isCounting) counter.mirror(kind, this.#nowMs() + leftMs, ownMs)
    else if (counter?.terms.isTold) counter.noteTold(kind, ownMs)
  }

  /** The number of owners with counters. */
  get size(): number {
    return this.#counters.size
  }
}

function note(
  allotment: Allotment,
  counters: readonly OwnerCounter[],
  tokens: number,
  nowMs: number,
): void {
  for (const { running, owned } of counters) {
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
      const waitMs = waitFor(requestsPart, 1, fullInMs(counter.requestsFullAtMs, nowMs))
      if (waitMs > longestMs) {
        longestMs = waitMs
        reached = counter
        kind = 'requests'
      }
    }
    if (tokensPart !== null) {
      const waitMs = waitFor(tokensPart, tokens, fullInMs(counter.tokensFullAtMs, nowMs))
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
    const { requestsPerMinute, tokensPerMinute, requestsPart, tokensPart } = counter
    if (requestsPerMinute !== null && requestsPart !== null) {
      const leftMs = fullInMs(counter.requestsFullAtMs, nowMs)
      requests = tighter(requests, requestsPerMinute, leftMs, requestsPart)
    }
    if (tokensPerMinute !== null && tokensPart !== null) {
      const leftMs = fullInMs(counter.tokensFullAtMs, nowMs)
      tokens = tighter(tokens, tokensPerMinute, leftMs, tokensPart)
    }
  }
  return wholeLevels(requests, tokens)
}

/** The end of a request that is given back, or whose limits have changed since it was admitted under these terms. */
function finishUnder(
  { counters, terms }: CounterSet,
  estimate: number,
  tokens: number,
  requestsBack: 0 | 1,
  nowMs: number,
): void {
  let at = 0
  for (const counter of counters) {
    const admitted = terms[at] ?? counter
    at += 1
    counter.running -= 1
    if (requestsBack > 0) {
      const { requestMs, requestsPerMinute } = counter
      const isSame = admitted.requestsPerMinute === requestsPerMinute
      const backMs = requestsBack * (isSame ? requestMs : admitted.requestMs)
      counter.requestsFullAtMs = afterTaking(counter.requestsFullAtMs, -backMs, nowMs)
    }
    correct(counter, admitted, estimate, tokens, nowMs)
  }
}

/** Puts the true usage in place of the estimate. The limit may have changed since the request was admitted. */
function correct(
  counter: OwnerCounter,
  admitted: Terms,
  estimate: number,
  tokens: number,
  nowMs: number,
): void {
  const { tokensPart, tokensPerMinute, tokenMs } = counter
  // A part of 0 does not know how long a token takes to come back.
  if (tokensPart === null || tokensPart === 0) return
  const countedBefore = admitted.tokensPart === null ? 0 : Math.min(estimate, admitted.tokensPart)
  const isSame = admitted.tokensPerMinute === tokensPerMinute
  const beforeMs = countedBefore * (isSame ? tokenMs : admitted.tokenMs)
  counter.tokensFullAtMs = afterTaking(counter.tokensFullAtMs, tokens * tokenMs - beforeMs, nowMs)
}

/** One owner as a server has counted it. */
interface CountedOwner extends OwnerState {
  readonly owned: OwnedLimits
}

/** What a correction of the server adds to the two rates of an owner; negative to give back. */
export interface RateChange {
  readonly requestsMs: number
  readonly tokensMs: number
}

/**
 * A running request that a server counts. This process follows the server: without it, it has its part of what was left,
 * and no debt for requests that were within the limit but above its part.
 */
export class FollowedRequest {
  readonly #counters: readonly OwnerCounter[]
  readonly #nowMs: () => number

  constructor(counters: readonly OwnerCounter[], nowMs: () => number) {
    this.#counters = counters
    this.#nowMs = nowMs
  }

  /** Called once, with the correction for each owner. */
  end(changes: readonly RateChange[]): void {
    const nowMs = this.#nowMs()
    for (const [index, counter] of this.#counters.entries()) {
      const { requestsMs = 0, tokensMs = 0 } = changes[index] ?? {}
      counter.running -= 1
      counter.requestsFullAtMs = afterTaking(counter.requestsFullAtMs, requestsMs, nowMs)
      counter.tokensFullAtMs = afterTaking(counter.tokensFullAtMs, tokensMs, nowMs)
    }
  }
}

interface PermitDeps {
  readonly nowMs: () => number
  readonly allotment: Pick<Allotment, 'isTold' | 'tellEnd'> | undefined
  readonly counters: Pick<Counters, 'changes'>
}

/** An admitted request that this process counts. If the database is told of requests when this one ends, it is told the end. */
export class LocalPermit implements Permit {
  readonly #set: CounterSet
  /** The tokens that were counted at admission. */
  readonly #estimate: number
  readonly #deps: PermitDeps
  /** The place of the request among those of the set. */
  readonly #place: number
  #endedMs: number | undefined

  constructor(set: CounterSet, estimate: number, deps: PermitDeps) {
    this.#set = set
    this.#place = set.admitted
    this.#estimate = estimate
    this.#deps = deps
  }

  end(tokens: number, nowMs = this.#deps.nowMs()): void {
    this.#finish(tokens, 0, nowMs)
  }

  giveBack(): void {
    this.#finish(0, 1, this.#deps.nowMs())
  }

  /** The database has not counted the request, so it is not told either. */
  withdraw(): void {
    this.#endHere(0, 1, this.#deps.nowMs())
  }

  /**
   * After the end of the request: as at its end, which is the moment before its answer. Requests that run at the same
   * time and are answered within a few milliseconds are told the same: a client cannot know which was first, and new
   * headers for each response cost more than the rest of its limits.
   */
  levels(): RateLevels {
    const set = this.#set
    const atMs = this.#endedMs ?? this.#deps.nowMs()
    const { told } = set
    const isRecent = told && Math.abs(atMs - told.atMs) < toldForMs
    if (isRecent && this.#place <= told.admitted) return told.levels
    const levels = levelsOf(set.counters, atMs)
    set.told = { levels, atMs, admitted: set.admitted }
    return levels
  }

  #finish(tokens: number, requestsBack: 0 | 1, nowMs: number): void {
    if (!this.#endHere(tokens, requestsBack, nowMs)) return
    const { allotment } = this.#deps
    if (!allotment?.isTold) return
    const { terms } = this.#set
    allotment.tellEnd({ terms, estimate: this.#estimate, tokens, requestsBack })
  }

  /** False if the request had ended before. */
  #endHere(tokens: number, requestsBack: 0 | 1, nowMs: number): boolean {
    if (this.#endedMs !== undefined) return false
    this.#endedMs = nowMs
    const { rows, changes } = this.#set
    const isUnderSameTerms = changes === this.#deps.counters.changes
    if (isUnderSameTerms && requestsBack === 0) finish(rows, this.#estimate, tokens, nowMs)
    else finishUnder(this.#set, this.#estimate, tokens, requestsBack, nowMs)
    return true
  }
}
