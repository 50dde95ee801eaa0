import type { FailureCause } from '../../routing/failure-cause.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { ExpiryReason } from '../reply/watchdog.ts'
import type { Passage } from './passage.ts'

/**
 * The members of an attempt that its faults need: the request, and the facts that the failure shows about the upstream.
 */
export interface FailedAttempt {
  readonly candidate: Candidate
  readonly stopReason: StopReason | undefined
  readonly passage: Passage | undefined
  /** The status of the upstream's error response. */
  upstreamStatus: number | undefined
  /** The cause of the failure. */
  cause: FailureCause | undefined
  /** How long the upstream asked clients to wait. */
  cooldownMs: number | undefined
}

/** Why the gateway stopped an attempt. */
export type StopReason = ExpiryReason | 'given_up'
