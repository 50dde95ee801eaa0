import type { FailedCandidate } from '../../routing/find-next.ts'

/** A candidate that was not tried, because the limits of its credential are used up. */
export interface SkippedCandidate extends FailedCandidate {
  /** Until the credential can serve the request. */
  readonly waitMs: number
}
