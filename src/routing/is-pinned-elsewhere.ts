import type { PlanQuestion } from './plan-question.ts'
import type { Candidate } from './route-set.ts'

/** Whether the request is pinned to another upstream or credential. */
export function isPinnedElsewhere(
  { route, credential }: Candidate,
  { pin }: Pick<PlanQuestion, 'pin'>,
): boolean {
  if (!pin) return false
  if (route.upstream.id !== pin.upstreamId) return true
  return pin.credentialName !== undefined && credential?.name !== pin.credentialName
}
