import { isFull } from './find-next.ts'
import { isPinnedElsewhere } from './is-pinned-elsewhere.ts'
import type { Draft, PlanParams } from './plan-params.ts'
import type { RouteSet } from './route-set.ts'

/** All candidates are full. The request may wait for a slot at any of them: the healthy ones, if there are any. */
export function addFull(draft: Draft, sets: readonly RouteSet[], params: PlanParams): void {
  const full = sets
    .flatMap(({ options }) => options.flatMap(({ candidates }) => candidates))
    .filter((candidate) => isFull(candidate) && !isPinnedElsewhere(candidate, params))
  const { monotonicMs, accountId } = params
  const healthy = full.filter(({ state }) => state.isHealthy(monotonicMs, accountId))
  for (const candidate of healthy.length > 0 ? healthy : full) {
    draft.candidates.push(candidate)
    draft.reasons.push('queued')
  }
}
