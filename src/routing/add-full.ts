import { isFull } from './find-next.ts'
import { isPinnedElsewhere } from './is-pinned-elsewhere.ts'
import type { Draft, PlanParams } from './plan-params.ts'
import type { RouteSet } from './route-set.ts'

/** The full candidates: the request may wait for a slot at any of them. */
export function addFull(
  draft: Draft,
  sets: readonly RouteSet[],
  params: PlanParams,
  which: 'healthy' | 'all',
): void {
  const { monotonicMs, accountId } = params
  for (const candidate of sets.flatMap(({ options }) =>
    options.flatMap((each) => each.candidates),
  )) {
    if (!isFull(candidate) || isPinnedElsewhere(candidate, params)) continue
    if (which === 'healthy' && !candidate.state.isHealthy(monotonicMs, accountId)) continue
    draft.candidates.push(candidate)
    draft.reasons.push('queued')
  }
}
