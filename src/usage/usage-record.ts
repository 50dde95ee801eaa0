import type { Nano } from '../core/money/money.ts'

/** One attempt at one upstream. */
export interface AttemptRecord {
  readonly upstreamId: string
  /** The displayable part of the credential; undefined when there was none. */
  readonly credential: string | undefined
  readonly status: number | undefined
  readonly reason: string | undefined
  readonly firstByteMs: number | undefined
  readonly totalMs: number
  /** Why this target was chosen, and how the request was changed; short. */
  readonly note: string | undefined
}

/** The log record of one request that passed authentication. */
export interface UsageRecord {
  readonly requestId: string
  readonly at: number
  readonly accountId: string
  readonly keyId: string
  readonly model: string | undefined
  readonly protocol: string
  readonly groupId: string | undefined
  readonly isStream: boolean
  readonly status: number
  readonly reason: string | undefined
  readonly costNano: Nano
  /** The part of the cost that could not be charged; absent when it is zero. */
  readonly uncoveredNano?: Nano
  readonly firstTokenMs: number | undefined
  readonly totalMs: number
  /** How long the request waited for a free place at an upstream; absent if it did not wait. */
  readonly queuedMs?: number | undefined
  readonly clientAddress: string
  readonly clientRequestId: string | undefined
  /** The upstream that answered. */
  readonly upstreamId: string | undefined
  readonly upstreamRequestId: string | undefined
  readonly warnings: readonly string[]
  readonly attempts: readonly AttemptRecord[]
}
