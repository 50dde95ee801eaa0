import type { Nano } from '../core/money.ts'

/** One try at one upstream. */
export interface AttemptRecord {
  readonly upstreamId: string
  /** What people may see of the credential that was shown; undefined when there was none. */
  readonly credential: string | undefined
  readonly status: number | undefined
  readonly reason: string | undefined
  readonly firstByteMs: number | undefined
  readonly totalMs: number
  /** Why this one, and what was changed on the way, in a few words. */
  readonly note: string | undefined
}

/** What the log says about one request that passed authentication. */
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
  /** What its usage comes to beyond that, and could not be charged; absent when it is nothing. */
  readonly uncoveredNano?: Nano
  readonly firstTokenMs: number | undefined
  readonly totalMs: number
  readonly clientAddress: string
  readonly clientRequestId: string | undefined
  /** The upstream that answered. */
  readonly upstreamId: string | undefined
  readonly upstreamRequestId: string | undefined
  readonly warnings: readonly string[]
  readonly attempts: readonly AttemptRecord[]
}
