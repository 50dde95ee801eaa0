import type { Nano } from '../core/money.ts'
import type { TokenUsage, UsageSource } from '../core/usage.ts'
import type { Change } from '../store/changes.ts'
import type { Statement } from '../store/engine.ts'

/** Money asked for before a request is forwarded: an upper bound of what it can cost. */
export interface HoldWish {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly amountNano: Nano
  /** What is charged if this process dies before it can settle; never more than the hold. */
  readonly recoveryNano: Nano
  /** What recovery must know to write the log row: ids and numbers only. */
  readonly story: HoldStory
}

export interface HoldStory {
  readonly at: number
  readonly model: string
  readonly protocol: string
  readonly groupId: string
  readonly priceVersionId: string
  readonly factorMicro: number
  readonly inputTokens: number
  readonly isStream: boolean
  readonly clientAddress: string
}

export type Shortage = 'insufficient_credit' | 'key_quota_exhausted' | 'quota_in_flight'

export type HoldVerdict =
  | { readonly ok: true; readonly hold: Hold }
  | { readonly ok: false; readonly reason: Shortage }

/** What a request finally cost. */
export interface Settlement {
  readonly costNano: Nano
  readonly usage: TokenUsage
  readonly usageSource: UsageSource
  readonly priceVersionId: string
  readonly factorMicro: bigint
  readonly flags: readonly string[]
}

/** Money set aside for one request. */
export interface Hold {
  readonly grantedNano: Nano
  /**
   * Turns the hold into an entry and gives the rest back, together with the caller's own statements, in one
   * transaction. Resolves when that is committed. A second call is an error of the caller.
   */
  settle(settlement: Settlement, alongside: readonly Statement[]): Promise<void>
}

export interface Ledger {
  /** At once, out of a lease, in all but the rarest case. */
  reserve(wish: HoldWish): HoldVerdict | Promise<HoldVerdict>
  /** Gives back what is idle of accounts and keys that have changed, or whose money another process needs. */
  apply(changes: readonly Change[]): void
  /** Holds that are neither settled nor given back, in this process. */
  readonly openHolds: number
  /** Settles down: everything handed over is committed, and every lease is given back. */
  close(): Promise<void>
}
