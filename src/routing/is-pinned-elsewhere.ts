import type { PlanParams } from './plan-params.ts'
import type { Candidate } from './route-set.ts'

/** Whether the request is pinned to another upstream or credential. */
export function isPinnedElsewhere(
  { route, credential }: Candidate,
  { pin }: Pick<PlanParams, 'pin'>,
): boolean {
  if (!pin) return false
  if (route.upstream.id !== pin.upstreamId) return true
  return pin.credentialName !== undefined && credential?.name !== pin.credentialName
}
