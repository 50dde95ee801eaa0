import type { LimitKind, LimitValues, OwnedLimits, RateLevels } from '../core/limits/rate-limit.ts'
import type { Allotment, RateKind, Terms, UsedLimit } from './allotment.ts'
import { BeyondPart } from './beyond-part.ts'
import { type CounterRow, newRow, setParts, slot } from './counter-row.ts'
import { afterResize, fullInMs, fullInMsMax, minuteMs, unitMsOf } from './rate.ts'
import { isSmall } from './small-limits.ts'

/** The owners whose counters are kept, plus those of one request. Unused counters are dropped first. */
const countersMax = 100_000
/** Unused counters are looked for after this many new ones. */
const sweepEvery = 1_000

const rateKinds = ['requests', 'tokens'] as const

interface PresentTerms extends Terms {
  /** Whether the database counts those limits that are small. */
  readonly isCounting: boolean
}

/** Counts the requests of one owner of limits. Has its present terms also as members. */
export class OwnerCounter implements Terms {
  readonly row = newRow()
  terms: PresentTerms
  owned: OwnedLimits
  version: number
  isTold: boolean
  requestsPerMinute: number | null
  tokensPerMinute: number | null
  requestsPart: number | null
  tokensPart: number | null
  placesPart: number | null
  requestMs: number
  tokenMs: number
  readonly #beyond = { requests: new BeyondPart(), tokens: new BeyondPart() }
  /** The states that the database knows. Undefined: none, so all that was used is not known to the others. */
  counted: { requests: number; tokens: number } | undefined

  constructor(terms: PresentTerms) {
    this.terms = terms
    this.owned = terms.owned
    this.version = terms.version
    this.isTold = terms.isTold
    this.requestsPerMinute = terms.requestsPerMinute
    this.tokensPerMinute = terms.tokensPerMinute
    this.requestsPart = terms.requestsPart
    this.tokensPart = terms.tokensPart
    this.placesPart = terms.placesPart
    this.requestMs = terms.requestMs
    this.tokenMs = terms.tokenMs
    setParts(this.row, terms)
  }

  get requestsFullAtMs(): number {
    return this.row[slot.requestsFullAtMs] ?? 0
  }

  get tokensFullAtMs(): number {
    return this.row[slot.tokensFullAtMs] ?? 0
  }

  get running(): number {
    return this.row[slot.running] ?? 0
  }

  set requestsFullAtMs(ms: number) {
    this.row[slot.requestsFullAtMs] = ms
  }

  set tokensFullAtMs(ms: number) {
    this.row[slot.tokensFullAtMs] = ms
  }

  set running(count: number) {
    this.row[slot.running] = count
  }

  /**
   * Brings the terms up to date, and tells whether they were not. A larger part does not begin full if another process
   * may have used it.
   */
  fit(owned: OwnedLimits, allotment: Allotment | undefined, nowMs: number): boolean {
    const before = this.terms
    if (isCurrent(before, owned, allotment)) return false
    const terms = termsOf(owned, allotment)
    const { isCounting: _, ...members } = terms
    Object.assign(this, members, { terms })
    setParts(this.row, terms)
    const { values } = owned
    const former = before.owned.values
    if (former.requestsPerMinute === values.requestsPerMinute)
      this.requestsFullAtMs = this.#after('requests', before, allotment, nowMs)
    if (former.tokensPerMinute === values.tokensPerMinute)
      this.tokensFullAtMs = this.#after('tokens', before, allotment, nowMs)
    if (allotment) for (const kind of rateKinds) this.#adopt(kind, allotment, nowMs)
    return true
  }

  /** The state of a rate with the present part of it. */
  #after(
    kind: RateKind,
    before: PresentTerms,
    allotment: Allotment | undefined,
    nowMs: number,
  ): number {
    const isRequests = kind === 'requests'
    const fullAtMs = isRequests ? this.requestsFullAtMs : this.tokensFullAtMs
    const limit = isRequests ? this.requestsPerMinute : this.tokensPerMinute
    const from = isRequests ? before.requestsPart : before.tokensPart
    const to = isRequests ? this.requestsPart : this.tokensPart
    if (limit === null || from === null || to === null) return fullAtMs
    const isOfDatabase = isSmall(kind, limit)
    const { isCounting, isTold } = this.terms
    const countedMs = fullInMs(this.counted?.[kind] ?? 0, nowMs)
    const ownOf = (atMs: number, part: number) =>
      (Math.max(0, fullInMs(atMs, nowMs) - countedMs) * part) / minuteMs
    const own = ownOf(fullAtMs, from) + this.#beyond[kind].left(nowMs)
    const isCarried = isOfDatabase && !before.isTold && isTold
    if (isCarried && own > 0) allotment?.carry(this.owned, kind, own)
    const isElseUnused = allotment?.isElseUnused(this.owned.name, kind) === true
    // Of what all have left together, each has its part. The others may have used more than this process knows.
    const isDivided =
      isOfDatabase && ((before.isCounting && !isCounting) || (before.isTold && !isTold))
    const others = isDivided ? (allotment?.usedByOthers(this.owned.name, kind, limit) ?? 0) : 0
    const isKept = to > 0 && (isDivided || (isElseUnused && to > from))
    const leastMs = Math.max(countedMs, (others * minuteMs) / to)
    // No more than all of a smaller part. The rest is beyond the part, and comes back at the rate of the rest.
    const mostMs = to < limit ? Math.max(leastMs, minuteMs) : fullInMsMax
    const afterMs = isKept
      ? nowMs + Math.min(leastMs + (own * minuteMs) / to, mostMs)
      : afterResize(fullAtMs, { from, to }, nowMs)
    const kept = Math.min(own, ownOf(afterMs, to))
    // What else is missing is not told to the database, because this process has not used it.
    if (isOfDatabase && to > 0) this.#setCounted(kind, afterMs - (kept * minuteMs) / to)
    // What the database has counted comes back first.
    this.#beyond[kind].set(isCarried ? 0 : own - kept, { limit, part: to }, nowMs + countedMs)
    return afterMs
  }

  /** A process that is alone now continues with what the database has counted for all. */
  #adopt(kind: RateKind, allotment: Pick<Allotment, 'countedMs'>, nowMs: number): void {
    const countedMs = allotment.countedMs(this.owned.name, kind)
    const isRequests = kind === 'requests'
    const limit = isRequests ? this.requestsPart : this.tokensPart
    if (countedMs === 0 || !limit) return
    const fullAtMs = isRequests ? this.requestsFullAtMs : this.tokensFullAtMs
    const ownMs = fullInMs(fullAtMs, Math.max(nowMs, this.counted?.[kind] ?? 0))
    const beyondMs = (this.#beyond[kind].left(nowMs) * minuteMs) / limit
    this.mirror(kind, nowMs + countedMs, ownMs + beyondMs)
    this.#beyond[kind].set(0, { limit, part: limit }, nowMs)
  }

  /** Takes over the state of a rate that the database has counted, and `ownMs` that it does not know yet. */
  mirror(kind: RateKind, countedMs: number, ownMs: number): void {
    this.#setCounted(kind, countedMs)
    if (kind === 'requests') this.requestsFullAtMs = countedMs + ownMs
    else this.tokensFullAtMs = countedMs + ownMs
  }

  /** The database knows what this process has used of its part, except what takes `ownMs` of the limit to come back. */
  noteTold(kind: RateKind, ownMs: number): void {
    const isRequests = kind === 'requests'
    const limit = isRequests ? this.requestsPerMinute : this.tokensPerMinute
    const part = isRequests ? this.requestsPart : this.tokensPart
    if (!limit || !part) return
    const fullAtMs = isRequests ? this.requestsFullAtMs : this.tokensFullAtMs
    this.#setCounted(kind, fullAtMs - (ownMs * limit) / part)
  }

  #setCounted(kind: RateKind, fullAtMs: number): void {
    this.counted ??= { requests: 0, tokens: 0 }
    this.counted[kind] = fullAtMs
  }

  /** What others had used before this process joined them is not available again with the part of this process. */
  beginAfter(others: Pick<Allotment, 'usedByOthers' | 'countedMs'>, nowMs: number): void {
    for (const kind of rateKinds) {
      const isRequests = kind === 'requests'
      const limit = isRequests ? this.requestsPerMinute : this.tokensPerMinute
      const part = isRequests ? this.requestsPart : this.tokensPart
      if (limit === null || part === null || part === 0) continue
      const used = others.usedByOthers(this.owned.name, kind, limit)
      const fullAtMs = nowMs + Math.min(1, used / part) * minuteMs
      // The others tell the database what they have used of a small limit.
      if (used > 0 && isSmall(kind, limit)) this.mirror(kind, fullAtMs, 0)
      else if (used > 0 && isRequests) this.requestsFullAtMs = fullAtMs
      else if (used > 0) this.tokensFullAtMs = fullAtMs
      this.#adopt(kind, others, nowMs)
    }
  }

  /** What has been used and has not come back. */
  *used(nowMs: number): Generator<UsedLimit> {
    const { name, values } = this.owned
    const of = (kind: RateKind, part: number | null, fullAtMs: number) =>
      (fullInMs(fullAtMs, nowMs) * (part ?? 0)) / minuteMs + this.#beyond[kind].left(nowMs)
    const requests = of('requests', this.requestsPart, this.requestsFullAtMs)
    const used = [
      ['requests', values.requestsPerMinute, requests],
      ['tokens', values.tokensPerMinute, of('tokens', this.tokensPart, this.tokensFullAtMs)],
      ['concurrent', values.concurrentRequests, this.running],
    ] as const
    for (const [kind, limit, count] of used)
      if (limit !== null && count > 0) yield { name, kind, limit, count }
  }

  isUnused(nowMs: number): boolean {
    const { running, requestsFullAtMs, tokensFullAtMs } = this
    const isFull = fullInMs(requestsFullAtMs, nowMs) === 0 && fullInMs(tokensFullAtMs, nowMs) === 0
    const beyond = this.#beyond.requests.left(nowMs) + this.#beyond.tokens.left(nowMs)
    return running === 0 && isFull && beyond === 0
  }
}

function isCurrent(terms: Terms, owned: OwnedLimits, allotment: Allotment | undefined): boolean {
  return (
    areSameValues(terms.owned.values, owned.values) && terms.version === (allotment?.version ?? 0)
  )
}

/** Each key of a member has its own copy of the limits of the member. */
function areSameValues(one: LimitValues, other: LimitValues): boolean {
  if (one === other) return true
  return (
    one.requestsPerMinute === other.requestsPerMinute &&
    one.tokensPerMinute === other.tokensPerMinute &&
    one.concurrentRequests === other.concurrentRequests
  )
}

function termsOf(owned: OwnedLimits, allotment: Allotment | undefined): PresentTerms {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = owned.values
  const partOf = (kind: LimitKind, limit: number | null) =>
    limit === null || !allotment ? limit : allotment.partOf(owned.name, kind, limit)
  const requestsPart = partOf('requests', requestsPerMinute)
  const tokensPart = partOf('tokens', tokensPerMinute)
  return {
    owned,
    version: allotment?.version ?? 0,
    isCounting: allotment?.isCounting === true,
    isTold: allotment?.isTold === true,
    requestsPerMinute,
    tokensPerMinute,
    requestsPart,
    tokensPart,
    placesPart: partOf('concurrent', concurrentRequests),
    requestMs: unitMsOf(requestsPart ?? 0),
    tokenMs: unitMsOf(tokensPart ?? 0),
  }
}

/** The counters of a request, and the terms under which it was admitted. */
export interface CounterSet {
  readonly counters: readonly OwnerCounter[]
  readonly terms: readonly Terms[]
  readonly rows: readonly CounterRow[]
  /** The number of terms that had changed until then, those of all counters. */
  readonly changes: number
  /** The number of requests that were admitted with this set. */
  admitted: number
  /** The levels that a response was told last. */
  told: ToldLevels | undefined
}

interface ToldLevels {
  readonly levels: RateLevels
  readonly atMs: number
  /** The requests that are counted in them: all until this one. */
  readonly admitted: number
}

interface KnownSet extends CounterSet {
  readonly applied: readonly OwnedLimits[]
  /** The version of the allotment. The set is current while the version and the number of changes stay the same. */
  readonly version: number
}

/** The counters of this process, by owner. */
export class Counters {
  readonly #allotment: Allotment | undefined
  readonly #byName = new Map<string, OwnerCounter>()
  /** The last set of each first owner, because most requests of a key have the same limits. */
  readonly #sets = new Map<string, KnownSet>()
  #last: KnownSet | undefined
  #added = 0
  #changes = 0

  constructor(allotment: Allotment | undefined) {
    this.#allotment = allotment
  }

  get size(): number {
    return this.#byName.size
  }

  /** The running requests of an owner. */
  runningOf(name: string): number {
    return this.#byName.get(name)?.running ?? 0
  }

  find(name: string): OwnerCounter | undefined {
    return this.#byName.get(name)
  }

  /** The number of terms that have changed. */
  get changes(): number {
    return this.#changes
  }

  /** Brings the terms of all counters up to date. */
  fitAll(nowMs: number): void {
    for (const counter of this.#byName.values())
      if (counter.fit(counter.owned, this.#allotment, nowMs)) this.#changes += 1
  }

  *used(nowMs: number): Generator<UsedLimit> {
    for (const counter of this.#byName.values()) yield* counter.used(nowMs)
  }

  /** The limits of the owners with running requests. */
  get occupied(): readonly OwnedLimits[] {
    return [...this.#byName.values()].flatMap(({ running, owned }) => (running > 0 ? owned : []))
  }

  /** The counters of all limits of a request, with current terms. */
  of(applied: readonly OwnedLimits[], nowMs: number): CounterSet {
    const last = this.#last
    if (last?.applied === applied && this.#isCurrent(last)) return last
    const first = applied[0]
    if (!first) return withoutCounters()
    const known = this.#sets.get(first.name)
    const isSame = known && this.#isCurrent(known) && areSame(known.applied, applied)
    const set = isSame ? known : this.#makeSet(applied, nowMs)
    if (!isSame) this.#sets.set(first.name, set)
    this.#last = set
    return set
  }

  #isCurrent({ version, changes }: KnownSet): boolean {
    return changes === this.#changes && version === (this.#allotment?.version ?? 0)
  }

  #makeSet(applied: readonly OwnedLimits[], nowMs: number): KnownSet {
    // Before, not between: a new counter is unused, and would be dropped.
    if (this.#added >= sweepEvery || this.#byName.size >= countersMax) this.#sweep(nowMs)
    const counters = applied.map((owned) => this.#counterOf(owned, nowMs))
    return {
      applied,
      counters,
      terms: counters.map(({ terms }) => terms),
      rows: counters.map(({ row }) => row),
      version: this.#allotment?.version ?? 0,
      changes: this.#changes,
      admitted: 0,
      told: undefined,
    }
  }

  #counterOf(owned: OwnedLimits, nowMs: number): OwnerCounter {
    const { name } = owned
    const known = this.#byName.get(name)
    if (known) {
      if (known.fit(owned, this.#allotment, nowMs)) this.#changes += 1
      return known
    }
    this.#added += 1
    const made = new OwnerCounter(termsOf(owned, this.#allotment))
    if (this.#allotment) made.beginAfter(this.#allotment, nowMs)
    this.#byName.set(name, made)
    return made
  }

  /** Drops unused counters. If there are none, the oldest one starts from zero, unless a request of it is running. */
  #sweep(nowMs: number): void {
    this.#added = 0
    this.#sets.clear()
    this.#last = undefined
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

function areSame(known: readonly OwnedLimits[], asked: readonly OwnedLimits[]): boolean {
  if (known === asked) return true
  return known.length === asked.length && known.every((owned, at) => owned === asked[at])
}

function withoutCounters(): CounterSet {
  return { counters: [], terms: [], rows: [], changes: 0, admitted: 0, told: undefined }
}
