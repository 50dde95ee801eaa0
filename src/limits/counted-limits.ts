import type { OwnedLimits, RateLevels } from '../core/limits/rate-limit.ts'
import type { Allotment } from './allotment.ts'
import type { DatabaseCounts } from './database-counts.ts'
import { type Limiter, LimitRefusal, type Verdict } from './limiter.ts'
import type { LocalPermit } from './local-limits.ts'
import type { PartLimits } from './part-limits.ts'
import { smallOnes } from './small-limits.ts'

/**
 * The limits of a process that shares them through the database: it uses a part of each large limit, and the database
 * counts the small ones. A request waits for the database if it needs a place, if its limit is very small, or if
 * many requests come at once.
 */
export class CountedLimits implements Limiter {
  readonly isRemote = false
  readonly #parts: PartLimits
  readonly #shares: Pick<Allotment, 'isCounting' | 'isTold'>
  readonly #counts: DatabaseCounts

  constructor(
    parts: PartLimits,
    shares: Pick<Allotment, 'isCounting' | 'isTold'>,
    counts: DatabaseCounts,
  ) {
    this.#parts = parts
    this.#shares = shares
    this.#counts = counts
  }

  admit(applied: readonly OwnedLimits[], tokens: number): Verdict | Promise<Verdict> {
    const verdict = this.#parts.admit(applied, tokens)
    if (!this.#shares.isTold) return verdict
    const small = smallOnes(applied)
    if (small.length === 0) return verdict
    const { isCounting } = this.#shares
    if (!(verdict instanceof LimitRefusal)) {
      const mayBegin = isCounting && this.#counts.mayBegin(small, tokens)
      if (!mayBegin) return this.#take(verdict, small, applied, tokens)
      this.#counts.confirm(small, tokens)
      return verdict
    }
    return !isCounting || this.#isCertain(verdict, small)
      ? verdict
      : this.#askAgain(small, applied, tokens)
  }

  preview(
    applied: readonly OwnedLimits[],
    tokens: number,
  ): LimitRefusal | undefined | Promise<LimitRefusal | undefined> {
    const small = this.#shares.isTold ? smallOnes(applied) : []
    // This process does not know how many requests the others run.
    const isKnown = small.every(({ values }) => values.concurrentRequests === null)
    if (small.length === 0 || (isKnown && this.#counts.isFresh(small)))
      return this.#parts.preview(applied, tokens)
    return this.#counts
      .preview(small, tokens)
      .catch(() => undefined)
      .then((refusal) => {
        const own = this.#parts.preview(applied, tokens)
        return own ?? (refusal && withLevels(refusal, this.#parts.levels(applied)))
      })
  }

  /** Whether the database would refuse as well: a large limit refuses, or the counts are new. */
  #isCertain({ owner }: LimitRefusal, small: readonly OwnedLimits[]): boolean {
    const reached = small.filter((each) => each.owner === owner)
    return reached.length === 0 || this.#counts.isFresh(reached)
  }

  /** Another process may have given back what this process knows as used. */
  async #askAgain(
    small: readonly OwnedLimits[],
    applied: readonly OwnedLimits[],
    tokens: number,
  ): Promise<Verdict> {
    try {
      await this.#counts.refresh(small)
    } catch {
      return this.#parts.admit(applied, tokens)
    }
    const verdict = this.#parts.admit(applied, tokens)
    return verdict instanceof LimitRefusal ? verdict : this.#take(verdict, small, applied, tokens)
  }

  async #take(
    permit: LocalPermit,
    small: readonly OwnedLimits[],
    applied: readonly OwnedLimits[],
    tokens: number,
  ): Promise<Verdict> {
    let refusal: LimitRefusal | undefined
    try {
      refusal = await this.#counts.take(small, tokens)
    } catch {
      permit.withdraw()
      // All that wait have failed. What they took must be back before this process has a part of the limit.
      await Promise.resolve()
      return this.#parts.admit(applied, tokens)
    }
    if (!refusal) return permit
    permit.withdraw()
    return withLevels(refusal, this.#parts.levels(applied))
  }
}

/** The database knows only the small limits of a request. `all` are the tightest of all its limits. */
function withLevels({ owner, kind, limit, waitMs, levels }: LimitRefusal, all: RateLevels) {
  const own = kind === 'concurrent' ? {} : { [kind]: levels[kind] }
  return new LimitRefusal({ owner, kind, limit, waitMs, levels: { ...all, ...own } })
}
