import { isFull } from './find-next.ts'
import { isPinnedElsewhere } from './is-pinned-elsewhere.ts'
import type { Draft, PlanQuestion } from './plan-question.ts'
import type { Candidate, RouteSet } from './route-set.ts'

/**
 * Everybody is ill: whoever is likely to be well soonest is tried all the same, since the last one is never given up
 * unseen. Only a limit of the operator's own is kept.
 */
export function addLastResorts(
  draft: Draft,
  sets: readonly RouteSet[],
  question: PlanQuestion,
): void {
  const all: Candidate[] = []
  for (const set of sets) {
    for (const { candidates } of set.options) {
      for (const candidate of candidates)
        if (!isFull(candidate) && !isPinnedElsewhere(candidate, question)) all.push(candidate)
    }
  }
  // The order of the groups, and of priorities inside them, stays where two are equally ill.
  const { accountId } = question
  all.sort((left, right) => illUntilMs(left, accountId) - illUntilMs(right, accountId))
  for (const candidate of all) {
    draft.candidates.push(candidate)
    draft.reasons.push('last_resort')
  }
}

/** A refused credential will hardly be taken again by itself, so it counts for more than a breaker that is open. */
function illUntilMs({ state: { target, rest, credential } }: Candidate, accountId: string): number {
  return Math.max(
    target.openUntilFor(accountId),
    rest.untilFor(accountId),
    credential.deadUntilFor(accountId),
  )
}
