import type { OwnedLimits } from '../core/limits/rate-limit.ts'
import type { DatabaseShares } from './database-shares.ts'
import { LimitRefusal } from './limiter.ts'
import { LocalLimits, type LocalPermit } from './local-limits.ts'

/**
 * The limits of a process that uses a part of each. A refused request is not told to wait for the part that the process
 * has now, if the process gets more of the limit with the next exchange.
 */
export class PartLimits extends LocalLimits {
  readonly #shares: DatabaseShares

  constructor(nowMs: () => number, shares: DatabaseShares) {
    super(nowMs, shares)
    this.#shares = shares
  }

  override admit(applied: readonly OwnedLimits[], tokens: number): LocalPermit | LimitRefusal {
    const verdict = super.admit(applied, tokens)
    return verdict instanceof LimitRefusal ? this.#sooner(verdict, applied, tokens) : verdict
  }

  override preview(applied: readonly OwnedLimits[], tokens: number): LimitRefusal | undefined {
    const refusal = super.preview(applied, tokens)
    return refusal && this.#sooner(refusal, applied, tokens)
  }

  #sooner(refusal: LimitRefusal, applied: readonly OwnedLimits[], tokens: number): LimitRefusal {
    const { owner, kind, limit, waitMs } = refusal
    const reached = applied.find((each) => each.owner === owner)
    if (!reached) return refusal
    const soonerMs = this.#shares.waitWithNextPart(reached.name, kind, limit, waitMs)
    if (soonerMs >= waitMs) return refusal
    // Another limit of the request may take longer now.
    const rest = applied.filter((each) => each !== reached)
    const other = this.preview(rest, tokens)
    if (other && other.waitMs > soonerMs) return other
    return new LimitRefusal({ owner, kind, limit, waitMs: soonerMs, levels: refusal.levels })
  }
}
