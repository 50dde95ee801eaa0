import type { OwnedLimits, RateLevels } from '../core/limits/rate-limit.ts'
import type { DenseSetMember } from '../core/runtime/dense-set.ts'
import { placeKey, type ServerState } from './ask-server.ts'
import { tightestOf } from './levels.ts'
import { LimitRefusal, type Permit, type Verdict } from './limiter.ts'
import type { FollowedRequest, RateChange } from './local-limits.ts'
import { minuteMs } from './rate.ts'

/** The correction for one owner that the server gets when a request has ended. */
export interface Correction extends RateChange {
  readonly owned: OwnedLimits
  readonly permit: string
}

/** Frees the place of a request at an owner, and changes no rate. */
export function placeOnly(owned: OwnedLimits, permit: string): Correction {
  return { owned, permit, requestsMs: 0, tokensMs: 0 }
}

/** The owners whose running requests are counted. */
export function withPlaces(owners: readonly OwnedLimits[]): readonly OwnedLimits[] {
  return owners.filter(({ values }) => values.concurrentRequests !== null)
}

/** A request that the server has counted, or one of which it counts only the places, when it is back. */
export type CountedBy =
  | { readonly states: readonly ServerState[]; readonly followed: FollowedRequest }
  | { readonly states: undefined; readonly local: Permit }

export interface SharedPermitParts {
  readonly id: string
  readonly owners: readonly OwnedLimits[]
  readonly counted: CountedBy
  readonly tokens: number
  /** The answers about credentials, in the order of the call. */
  readonly asked: Map<OwnedLimits, Verdict>
  readonly nowMs: () => number
  finish(permit: SharedPermit, corrections: readonly Correction[]): void
}

/** An admitted request that the server counts, or will count when it is back. */
export class SharedPermit implements Permit, DenseSetMember {
  denseIndex: number | undefined
  readonly #parts: SharedPermitParts
  readonly #askedAtMs: number
  #hasEnded = false

  constructor(parts: SharedPermitParts) {
    this.#parts = parts
    this.#askedAtMs = parts.nowMs()
  }

  end(tokens: number, nowMs?: number): void {
    this.#finish(tokens, 0, nowMs)
  }

  giveBack(): void {
    this.#finish(0, 1)
  }

  levels(): RateLevels {
    const { counted } = this.#parts
    return counted.states ? tightestOf(counted.states) : counted.local.levels()
  }

  /** The answer about a credential, once. A refusal counts only until the credential has room again. */
  takeCredential(limits: OwnedLimits | undefined): Verdict | undefined {
    const { asked, nowMs } = this.#parts
    const verdict = limits && asked.get(limits)
    if (limits) asked.delete(limits)
    if (verdict instanceof LimitRefusal) {
      const waitMs = verdict.waitMs - (nowMs() - this.#askedAtMs)
      const { owner, kind, limit, levels } = verdict
      if (waitMs > 0) return new LimitRefusal({ owner, kind, limit, waitMs, levels })
    }
    this.#giveRestBack()
    return verdict instanceof LimitRefusal ? undefined : verdict
  }

  places(): { readonly key: string; readonly id: string }[] {
    const { owners, id } = this.#parts
    return withPlaces(owners).map(({ name }) => ({ key: placeKey(name), id }))
  }

  #giveRestBack(): void {
    const { asked } = this.#parts
    for (const verdict of asked.values()) if (!(verdict instanceof LimitRefusal)) verdict.giveBack()
    asked.clear()
  }

  #finish(tokens: number, requestsBack: number, nowMs?: number): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#giveRestBack()
    const { owners, counted, id, finish } = this.#parts
    if (counted.states) {
      const corrections = owners.map((owned) => this.#correctionOf(owned, tokens, requestsBack))
      counted.followed.end(corrections)
      finish(this, corrections)
      return
    }
    if (requestsBack > 0) counted.local.giveBack()
    else counted.local.end(tokens, nowMs)
    finish(
      this,
      withPlaces(owners).map((owned) => placeOnly(owned, id)),
    )
  }

  #correctionOf(owned: OwnedLimits, tokens: number, requestsBack: number): Correction {
    const { id, tokens: estimate } = this.#parts
    const { requestsPerMinute, tokensPerMinute } = owned.values
    const requestsMs =
      requestsPerMinute === null ? 0 : (-requestsBack * minuteMs) / requestsPerMinute
    const difference = tokens - Math.min(estimate, tokensPerMinute ?? 0)
    const tokensMs = tokensPerMinute === null ? 0 : (difference * minuteMs) / tokensPerMinute
    return { owned, permit: id, requestsMs, tokensMs }
  }
}
