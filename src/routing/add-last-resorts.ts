import { isFull } from './find-next.ts'
import { isPinnedElsewhere } from './is-pinned-elsewhere.ts'
import type { Draft, PlanParams } from './plan-params.ts'
import type { Candidate, RouteSet } from './route-set.ts'

/**
 * All candidates are unhealthy. They are tried in the order of expected recovery, because the last candidate is always
 * tried. Only the operator's own limits still apply.
 */
export function addLastResorts(draft: Draft, sets: readonly RouteSet[], params: PlanParams): void {
  const all: Candidate[] = []
  for (const set of sets) {
    for (const { candidates } of set.options) {
      for (const candidate of candidates)
        if (!isFull(candidate) && !isPinnedElsewhere(candidate, params)) all.push(candidate)
    }
  }
  // The sort is stable: candidates with equal recovery times keep the order of groups and priorities.
  const { accountId } = params
  all.sort((left, right) => unhealthyUntilMs(left, accountId) - unhealthyUntilMs(right, accountId))
  for (const candidate of all) {
    draft.candidates.push(candidate)
    draft.reasons.push('last_resort')
  }
}

/** A rejected credential rarely recovers by itself, so it counts for more than an open breaker. */
function unhealthyUntilMs(
  { state: { target, cooldown, credential } }: Candidate,
  accountId: string,
): number {
  return Math.max(
    target.openUntilFor(accountId),
    cooldown.untilFor(accountId),
    credential.rejectedUntilFor(accountId),
    credential.usedUpUntilMs,
  )
}
