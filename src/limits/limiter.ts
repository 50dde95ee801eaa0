import type { LimitKind, LimitOwner, OwnedLimits, RateLevels } from '../core/limits/rate-limit.ts'

/** A request that a limit does not admit now. */
export class LimitRefusal {
  readonly owner: LimitOwner
  readonly kind: LimitKind
  readonly limit: number
  /** Until the request can be admitted. How long a running request takes is not known. */
  readonly waitMs: number
  /** The limit that refused the request; of the other kind the tightest limit. */
  readonly levels: RateLevels

  constructor(refused: {
    readonly owner: LimitOwner
    readonly kind: LimitKind
    readonly limit: number
    readonly waitMs: number
    readonly levels: RateLevels
  }) {
    this.owner = refused.owner
    this.kind = refused.kind
    this.limit = refused.limit
    this.waitMs = refused.waitMs
    this.levels = refused.levels
  }
}

/** `tightest` are the tightest of all limits of the request, `reached` those of the owner whose limit is reached. */
export function refusalBy(
  { owner, values }: OwnedLimits,
  kind: LimitKind,
  waitMs: number,
  tightest: RateLevels,
  reached: RateLevels,
): LimitRefusal {
  const limit = {
    requests: values.requestsPerMinute,
    tokens: values.tokensPerMinute,
    concurrent: values.concurrentRequests,
  }[kind]
  const levels = kind === 'concurrent' ? tightest : { ...tightest, [kind]: reached[kind] }
  return new LimitRefusal({ owner, kind, limit: limit ?? 0, waitMs, levels })
}

/** The server that counts for all replicas cannot be reached, and the operator wants such requests refused. */
export class LimitsUnavailable extends Error {
  override readonly name = 'LimitsUnavailable'
}

/** An admitted request. It ends exactly once. */
export interface Permit {
  /** The request has ended with this many tokens, which replace the estimate. `nowMs` if the caller has read it. */
  end(tokens: number, nowMs?: number): void
  /** The request was refused for another reason, so it counts nowhere. */
  giveBack(): void
  /** The tightest of the limits of the request. */
  levels(): RateLevels
  /**
   * The answer of the server about the limits of a credential when the request was admitted; undefined if the server
   * was not asked. If the place is not used, it is given back.
   */
  takeCredential?(limits: OwnedLimits | undefined): Verdict | undefined
}

export type Verdict = Permit | LimitRefusal

export interface Limiter {
  /** Whether the limiter calls a server, so that one call should cover all limits. */
  readonly isRemote: boolean
  /**
   * Takes a request of about `tokens` from every limit, or from none: the refusal is that of the limit that takes
   * longest to admit the request. `credentials` are the limits of the credentials that the first attempt may use, in
   * order. A limiter that asks a server takes the first one with room together with the request.
   */
  admit(
    applied: readonly OwnedLimits[],
    tokens: number,
    credentials?: readonly OwnedLimits[],
  ): Verdict | Promise<Verdict>
  /** The refusal that the request would get now. Takes nothing. */
  preview(
    applied: readonly OwnedLimits[],
    tokens: number,
  ): LimitRefusal | undefined | Promise<LimitRefusal | undefined>
}

/** A client that waits for a running request is asked to come back after this time. */
export const concurrentWaitMs = 1_000
