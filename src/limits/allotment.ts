import type { LimitKind, OwnedLimits } from '../core/limits/rate-limit.ts'
import type { Parts } from './counter-row.ts'

/** The part of each limit that this process may use, while several processes share the limits. */
export interface Allotment {
  /** Changes whenever a part may have changed. */
  readonly version: number
  /** Whether the database counts small limits for all processes. Each may then use all of them. */
  readonly isCounting: boolean
  /** Whether the database is told of all that this process uses of small limits: before it counts, and while it does. */
  readonly isTold: boolean
  /** A whole number. The parts of all processes together are the limit. */
  partOf(name: string, kind: LimitKind, limit: number): number
  /** Whether no other process has had a demand for a limit for a minute. */
  isElseUnused(name: string, kind: LimitKind): boolean
  /**
   * What other processes have used of a limit, or may have used, before this one had a part of it, and what has not come
   * back since then.
   */
  usedByOthers(name: string, kind: RateKind, limit: number): number
  /**
   * How long it takes until all that the database has counted of a small limit is available again. Only while this
   * process is alone, and therefore does not ask the database.
   */
  countedMs(name: string, kind: RateKind): number
  /** Called for each request with limits. False while this process may use all of each limit. */
  isInUse(nowMs: number): boolean
  /** Records the demand of requests for a limit, including refused ones. */
  note(name: string, kind: LimitKind, count: number, nowMs: number): void
  /** Adds to the count of the database what this process has used of a small limit in the meantime. */
  carry(owned: OwnedLimits, kind: RateKind, count: number): void
  /** Tells the database the end of a request of this process, while it is told. */
  tellEnd(ended: EndedRequest): void
}

/** What a process has used of a limit; of places, how many are in use. */
export interface UsedLimit {
  readonly name: string
  readonly kind: LimitKind
  readonly limit: number
  readonly count: number
}

/** A request that has ended, and what was counted for it. */
export interface EndedRequest {
  /** Of each owner, those under which the request was admitted. */
  readonly terms: readonly Terms[]
  /** No more than the limit was counted if the database was told, and no more than the part of this process otherwise. */
  readonly estimate: number
  readonly tokens: number
  readonly requestsBack: 0 | 1
}

/** The limits that come back with time. */
export type RateKind = Exclude<LimitKind, 'concurrent'>

/** What this process may use of the limits of one owner. Never changed, so requests can refer to it. */
export interface Terms extends Parts {
  readonly owned: OwnedLimits
  /** The version of the allotment. */
  readonly version: number
  /** Whether the database is told of those limits that are small. */
  readonly isTold: boolean
  /** The limits of the owner. Null: no limit. */
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
}
