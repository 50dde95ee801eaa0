import type { OwnedLimits, RateLevels } from '../core/limits/rate-limit.ts'
import type { Allotment } from './counters.ts'
import type { DatabaseCounts } from './database-counts.ts'
import { type Limiter, LimitRefusal, type Permit, type Verdict } from './limiter.ts'
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
  readonly #shares: Pick<Allotment, 'isCounting'>
  readonly #counts: DatabaseCounts

  constructor(parts: PartLimits, shares: Pick<Allotment, 'isCounting'>, counts: DatabaseCounts) {
    this.#parts = parts
    this.#shares = shares
    this.#counts = counts
  }

  admit(applied: readonly OwnedLimits[], tokens: number): Verdict | Promise<Verdict> {
    if (!this.#shares.isCounting) return this.#admitAlone(applied, tokens)
    const verdict = this.#parts.admit(applied, tokens)
    const small = smallOnes(applied)
    if (small.length === 0) return verdict
    if (!(verdict instanceof LimitRefusal)) {
      if (!this.#counts.mayBegin(small, tokens)) return this.#take(verdict, small, applied, tokens)
      this.#counts.confirm(small, tokens)
      return new CountedPermit(verdict, applied, this.#counts)
    }
    return this.#isCertain(verdict, small) ? verdict : this.#askAgain(small, applied, tokens)
  }

  /** The database may count what this process has admitted alone before the request ends. */
  #admitAlone(applied: readonly OwnedLimits[], tokens: number): Verdict {
    const verdict = this.#parts.admit(applied, tokens)
    if (verdict instanceof LimitRefusal) return verdict
    return new CountedPermit(verdict, applied, this.#counts)
  }

  preview(
    applied: readonly OwnedLimits[],
    tokens: number,
  ): LimitRefusal | undefined | Promise<LimitRefusal | undefined> {
    const small = this.#shares.isCounting ? smallOnes(applied) : []
    if (small.length === 0 || this.#counts.isFresh(small))
      return this.#parts.preview(applied, tokens)
    return this.#counts
      .refresh(small)
      .catch(() => undefined)
      .then(() => this.#parts.preview(applied, tokens))
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
      return this.#admitAlone(applied, tokens)
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
      // This process has a part of the limit now.
      permit.giveBack()
      return this.#admitAlone(applied, tokens)
    }
    if (!refusal) return new CountedPermit(permit, applied, this.#counts)
    permit.giveBack()
    return withLevels(refusal, this.#parts.levels(applied))
  }
}

/** The database knows only the small limits of a request. `all` are the tightest of all its limits. */
function withLevels({ owner, kind, limit, waitMs, levels }: LimitRefusal, all: RateLevels) {
  const own = kind === 'concurrent' ? {} : { [kind]: levels[kind] }
  return new LimitRefusal({ owner, kind, limit, waitMs, levels: { ...all, ...own } })
}

/** An admitted request. The database is told how it has ended, if it counts then. */
class CountedPermit implements Permit {
  readonly #local: LocalPermit
  readonly #applied: readonly OwnedLimits[]
  readonly #counts: DatabaseCounts
  #hasEnded = false

  constructor(local: LocalPermit, applied: readonly OwnedLimits[], counts: DatabaseCounts) {
    this.#local = local
    this.#applied = applied
    this.#counts = counts
  }

  end(tokens: number, nowMs?: number): void {
    this.#local.end(tokens, nowMs)
    this.#finish(tokens, 0)
  }

  giveBack(): void {
    this.#local.giveBack()
    this.#finish(0, 1)
  }

  levels(): RateLevels {
    return this.#local.levels()
  }

  #finish(tokens: number, requestsBack: 0 | 1): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const estimateOf = (name: string) => this.#local.estimateOf(name)
    this.#counts.finish(this.#applied, { estimateOf, tokens, requestsBack })
  }
}
