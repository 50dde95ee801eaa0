import type { FailureCause } from './failure-cause.ts'
import type { Candidate } from './route-set.ts'
import type { UpstreamLoad } from './target-state.ts'

/** A failed attempt of the same request. */
export interface FailedCandidate {
  readonly candidate: Candidate
  readonly cause: FailureCause | undefined
}

/**
 * The index of the next candidate in a plan. The same candidate if only its connection failed; otherwise the first
 * healthy one that no failure rules out; otherwise the first one that no failure rules out; -1 when there is none.
 * `own` is an upstream that keeps a slot for the request.
 */
export function findNext(
  candidates: readonly Candidate[],
  failed: readonly FailedCandidate[],
  nowMs: number,
  accountId?: string,
  own?: UpstreamLoad,
): number {
  const hasPlace = (candidate: Candidate) => candidate.state.load === own || !isFull(candidate)
  const same = findSame(candidates, failed, nowMs, hasPlace, accountId)
  if (same >= 0) return same
  let second = -1
  for (let index = 0; index < candidates.length; index += 1) {
    const candidate = candidates[index]
    if (!candidate || !hasPlace(candidate) || failed.some((each) => isSpent(candidate, each)))
      continue
    if (candidate.state.isHealthy(nowMs, accountId)) return index
    if (second < 0) second = index
  }
  return second
}

/**
 * Closing a kept connection is no sign of poor health, so the conversation stays at its upstream, unless its credential
 * has no room for the repetition.
 */
function findSame(
  candidates: readonly Candidate[],
  failed: readonly FailedCandidate[],
  nowMs: number,
  hasPlace: (candidate: Candidate) => boolean,
  accountId: string | undefined,
): number {
  const last = failed.at(-1)
  if (last?.cause !== 'connection') return -1
  const { candidate } = last
  if (!hasPlace(candidate) || !candidate.state.isHealthy(nowMs, accountId)) return -1
  const isRefused = failed.some((each) => each.cause === 'credential' && isSpent(candidate, each))
  return isRefused ? -1 : candidates.indexOf(candidate)
}

/** The candidates that no failure rules out. They may be full. */
export function findUnspent(
  candidates: readonly Candidate[],
  failed: readonly FailedCandidate[],
): readonly Candidate[] {
  return candidates.filter((candidate) => !failed.some((each) => isSpent(candidate, each)))
}

export function isFull({ state: { load } }: Candidate): boolean {
  return load.concurrencyMax !== undefined && load.inFlight >= load.concurrencyMax
}

/** A failure rules out its credential, and also the whole upstream unless only the credential was the cause. */
function isSpent({ state }: Candidate, { candidate: tried, cause }: FailedCandidate): boolean {
  if (cause === 'connection') return false
  if (cause === 'credential') return state.credential === tried.state.credential
  if (cause === 'limit') return state.cooldown === tried.state.cooldown
  return state.target === tried.state.target
}
