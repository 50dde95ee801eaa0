import type { OwnedLimits } from '../../core/limits/rate-limit.ts'
import { type FailedCandidate, findNext } from '../../routing/find-next.ts'
import type { CheckedRequest } from './check-request.ts'

/** The most credentials whose limits are checked together with those of the request. */
const askedMax = 4

/**
 * The limits of the credentials that the first attempt may use, in the order of the attempts, up to the first candidate
 * without limits. Credentials whose limits are known to be used up are left out: they are skipped without a check.
 */
export function firstCredentials(
  { plan: { candidates }, caller }: CheckedRequest,
  tokens: number,
  nowMs: number,
): readonly OwnedLimits[] {
  const asked: OwnedLimits[] = []
  const passed: FailedCandidate[] = []
  while (asked.length < askedMax) {
    const candidate = candidates[findNext(candidates, passed, nowMs, caller.account.id)]
    const limits = candidate?.credential?.limits
    if (!candidate || !limits) break
    if (!candidate.state.credential.isUsedUp(nowMs, tokens)) asked.push(limits)
    passed.push({ candidate, cause: 'credential' })
  }
  return asked
}
