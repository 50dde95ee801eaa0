import type { Nano } from '../core/money.ts'
import type { TokenUsage, UsageSource } from '../core/usage.ts'
import type { Change } from '../store/changes.ts'
import type { ShapedRecord } from '../store/shape.ts'
import type { LedgerVitals } from './leases/hold-tally.ts'

/** Money asked for before a request is forwarded: an upper bound of what it can cost. */
export interface HoldRequest {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly amountNano: Nano
  /** What is charged if this process dies before it can settle; never more than the hold. */
  readonly recoveryNano: Nano
  /** What recovery must know to write the log row: ids and numbers only. */
  readonly recovery: RecoveryFacts
  /**
   * What it may wait for, for a bounded time: nothing; money that lies idle in other processes, when it is absent; or
   * also money that requests under way hold and may give back.
   */
  readonly waitsFor?: 'nothing' | 'in-flight'
}

export interface RecoveryFacts {
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

/** Why money was not given, and how much could have been. */
export interface HoldRefusal {
  readonly reason: Shortage
  readonly affordableNano: Nano
}

export type HoldVerdict =
  | { readonly ok: true; readonly hold: Hold }
  | { readonly ok: false; readonly refusal: HoldRefusal }

/** What a request finally cost. */
export interface Settlement {
  /** What is charged: never more than the hold. */
  readonly costNano: Nano
  /** What its usage comes to beyond that, and nobody pays; absent when it is nothing. */
  readonly uncoveredNano?: Nano
  readonly usage: TokenUsage
  readonly usageSource: UsageSource
  readonly priceVersionId: string
  readonly factorMicro: bigint
  readonly flags: readonly string[]
}

/** How far a request has come: what it would be charged if this process died now. */
export interface Progress {
  /** Never more than the hold. */
  readonly costNano: Nano
  readonly usage: TokenUsage
  readonly model: string
  readonly groupId: string
  readonly priceVersionId: string
  readonly factorMicro: number
}

/** Money set aside for one request. */
export interface Hold {
  readonly grantedNano: Nano
  /**
   * Resolves when the hold is written down, one write for all holds of one turn of the event loop. Before that
   * nothing may be forwarded; when it is rejected, the money is back already.
   */
  readonly admitted: Promise<void>
  /** Sets more aside for the same request; false when it is not to be had. */
  extend(moreNano: Nano): boolean | Promise<boolean>
  /** Sets aside as much of an amount as can be had within a short time, for what the request has cost beyond its hold. */
  cover(excessNano: Nano): void | Promise<void>
  /** Writes down how far the request has come, soon; when that fails, what was written before counts. */
  checkpoint(progress: Progress): void
  /**
   * Turns the hold into an entry and gives the rest back. Written down when this returns, together with the
   * caller's own records, so that the death of the process does not lose it; throws when it cannot be. A
   * second call is an error of the caller.
   */
  settle(settlement: Settlement, alongside: readonly ShapedRecord[]): void
  /** The same, for one who can wait: written down when this resolves, in one write for all who settle in this turn. */
  settleSoon(settlement: Settlement, alongside: readonly ShapedRecord[]): Promise<void>
}

/** Whose money: the key's own quota, and the account's credit. */
export interface PurseName {
  readonly accountId: string
  readonly keyId: string
}

/** What a hold would find. */
export interface Foresight {
  /** What the account has that no request holds. */
  readonly accountNano: Nano
  /** The same of the key's quota; undefined when it has none. */
  readonly keyNano: Nano | undefined
  /** Why a hold of this amount would be refused; undefined when it would not. */
  refusalOf(amountNano: Nano): HoldRefusal | undefined
}

export interface LedgerTrouble {
  readonly kind: 'identity lost' | 'journal full' | 'database behind'
  readonly why: string
}

export interface Ledger {
  /** At once, out of a lease, in all but the rarest case. */
  reserve(request: HoldRequest): HoldVerdict | Promise<HoldVerdict>
  /** Looks what there is, and takes nothing; rejects where `reserve` would throw. */
  foresee(name: PurseName): Promise<Foresight>
  /** Gives back what is idle of accounts and keys that have changed, or whose money another process needs. */
  apply(changes: readonly Change[]): void
  /** Settlements that the database has not got yet. */
  readonly unshipped: number
  /** Why nothing is admitted now; undefined when requests are. */
  readonly trouble: LedgerTrouble | undefined
  /** Holds that are neither settled nor given back, in this process. */
  readonly openHolds: number
  /** How old what is under way is, and how much of it there is. */
  vitals(): LedgerVitals
  /** Writes down what the database must get about a request that held no money; throws when there is no room for it. */
  record(records: readonly ShapedRecord[]): void
  /** Resolves when the database has everything that was written down so far. */
  shipped(): Promise<void>
  /** Hands over what the database takes within a time, and gives the leases back; the next start does the rest. */
  close(withinMs?: number): Promise<void>
}
