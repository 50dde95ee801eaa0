import type { LimitKind, OwnedLimits } from '../core/limits/rate-limit.ts'

/**
 * The largest limits that replicas count in the database. A part of a small limit is a few requests, so it would be too
 * large for one replica and too small for another most of the time. Larger limits are divided: all replicas would change
 * the same row of a limit that most requests have, such as that of a model.
 */
const smallMost: Readonly<Record<LimitKind, number>> = {
  requests: 6_000,
  tokens: 5_000_000,
  concurrent: 50,
}

export function isSmall(kind: LimitKind, limit: number): boolean {
  return limit <= smallMost[kind]
}

const known = new WeakMap<OwnedLimits, OwnedLimits | null>()

/** The small ones of the limits of each owner; without those who have none. */
export function smallOnes(applied: readonly OwnedLimits[]): OwnedLimits[] {
  return applied.flatMap((owned) => {
    const found = known.get(owned)
    const small = found === undefined ? smallOf(owned) : found
    if (found === undefined) known.set(owned, small)
    return small ?? []
  })
}

function smallOf({ owner, name, values }: OwnedLimits): OwnedLimits | null {
  const keep = (kind: LimitKind, limit: number | null) =>
    limit !== null && isSmall(kind, limit) ? limit : null
  const requestsPerMinute = keep('requests', values.requestsPerMinute)
  const tokensPerMinute = keep('tokens', values.tokensPerMinute)
  const concurrentRequests = keep('concurrent', values.concurrentRequests)
  const isNone =
    requestsPerMinute === null && tokensPerMinute === null && concurrentRequests === null
  return isNone
    ? null
    : { owner, name, values: { requestsPerMinute, tokensPerMinute, concurrentRequests } }
}
