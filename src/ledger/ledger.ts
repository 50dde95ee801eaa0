import type { LedgerTroubleKind } from '../core/codes.ts'
import type { BudgetPeriod } from '../core/limits/budget.ts'
import type { Nano } from '../core/money/money.ts'
import type { TokenUsage, UsageSource } from '../core/money/usage.ts'
import type { Change } from '../store/changes/changes.ts'
import type { ShapedRecord } from '../store/units/shape.ts'
import type { BudgetOwner, UnknownZone } from './budgets/budget-terms.ts'
import type { LedgerStatus } from './leases/hold-tally.ts'

/** The money requested before a request is forwarded: an upper bound of its cost. */
export interface HoldRequest {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  /** The user who owns the key; absent for a service key. */
  readonly userId?: string | undefined
  readonly amountNano: Nano
  /** The charge if this process dies before the settlement; never more than the hold. */
  readonly recoveryNano: Nano
  /** The facts that recovery needs to write the usage row: only ids and numbers. */
  readonly recovery: RecoveryFacts
  /**
   * The money that the request may wait for, for a bounded time. `nothing`: no wait. Absent: idle money of other
   * processes. `in-flight`: also money that requests in flight hold and may return.
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

export type Shortage =
  | 'insufficient_credit'
  | 'key_quota_exhausted'
  | 'member_budget_exhausted'
  | 'account_budget_exhausted'
  | 'quota_in_flight'

/** The budget that refuses a request. */
export interface ShortBudget {
  readonly period: BudgetPeriod
  readonly limitNano: Nano
  /** When its period ends; null for a total, which never ends. */
  readonly resetsAtMs: number | null
}

/** Why money was refused, and how much is available. */
export interface HoldRefusal {
  readonly reason: Shortage
  readonly affordableNano: Nano
  /** Set when a budget is the reason. */
  readonly budget?: ShortBudget
}

export type HoldVerdict =
  | { readonly ok: true; readonly hold: Hold }
  | { readonly ok: false; readonly refusal: HoldRefusal }

/** Thrown when the owner of the key has left the account, before this process has read the change. */
export class OwnerLeft extends Error {
  override readonly name = 'OwnerLeft'
}

/** Thrown when a budget that would limit the request has an unknown time zone. */
export class BudgetZoneUnknown extends Error implements UnknownZone {
  override readonly name = 'BudgetZoneUnknown'
  readonly owner: BudgetOwner
  readonly zone: string

  constructor({ owner, zone }: UnknownZone) {
    super(
      `the budgets of ${owner.kind} ${owner.id} have the unknown time zone ${JSON.stringify(zone)}`,
    )
    this.owner = owner
    this.zone = zone
  }
}

/** The final cost of a request. */
export interface Settlement {
  /** The charged amount; never more than the hold. */
  readonly costNano: Nano
  /** The part of the cost above the charged amount, which no account pays; absent when it is zero. */
  readonly uncoveredNano?: Nano
  readonly usage: TokenUsage
  readonly usageSource: UsageSource
  readonly priceVersionId: string
  readonly factorMicro: bigint
  readonly flags: readonly string[]
}

/** The progress of a request: what recovery would charge if this process died now. */
export interface Progress {
  /** Never more than the hold. */
  readonly costNano: Nano
  readonly usage: TokenUsage
  readonly model: string
  readonly groupId: string
  readonly priceVersionId: string
  readonly factorMicro: number
}

/** Money reserved for one request. */
export interface Hold {
  readonly grantedNano: Nano
  /**
   * Resolves when the hold is written; all holds of one turn of the event loop share one write. Nothing may be
   * forwarded before. If it rejects, the money is already returned.
   */
  readonly admitted: Promise<void>
  /** Holds more money for the same request; false when there is not enough. */
  extend(moreNano: Nano): boolean | Promise<boolean>
  /** Why the hold cannot grow to this amount. */
  explainShortage(amountNano: Nano): Promise<HoldRefusal>
  /** Holds as much of the amount as is available within a short time, for a cost above the hold. */
  cover(excessNano: Nano): void | Promise<void>
  /** Records the progress of the request soon. If the write fails, the previous record counts. */
  checkpoint(progress: Progress): void
  /**
   * Turns the hold into an entry and returns the rest. When this returns, the settlement is written together with the
   * caller's own records and survives the death of the process. Throws when the write fails. A second call is an error
   * of the caller.
   */
  settle(settlement: Settlement, alongside: readonly ShapedRecord[]): void
  /**
   * Like `settle`, for a caller that can wait: resolves when the settlement is written. All settlements of one turn
   * share one write.
   */
  settleSoon(settlement: Settlement, alongside: readonly ShapedRecord[]): Promise<void>
}

/** Names the money of a request: the key's quota, the account's credit, and the budgets of key, member and account. */
export interface Payer {
  readonly accountId: string
  readonly keyId: string
  readonly userId?: string | undefined
}

/** The result that a hold would have. */
export interface HoldForecast {
  /** Money of the account that no request holds. */
  readonly accountNano: Nano
  /** The same for the key's quota; undefined when the key has no quota. */
  readonly keyNano: Nano | undefined
  /** Why a hold of this amount would be refused; undefined when it would succeed. */
  refusalOf(amountNano: Nano): HoldRefusal | undefined
}

export interface LedgerTrouble {
  readonly kind: LedgerTroubleKind
  readonly why: string
}

export interface Ledger {
  /** Almost always answers at once, from a lease. */
  reserve(request: HoldRequest): HoldVerdict | Promise<HoldVerdict>
  /** Predicts the result of a hold without taking money; rejects where `reserve` would throw. */
  forecastHold(name: Payer): Promise<HoldForecast>
  /** Returns idle money of accounts and keys that have changed, or whose money another process needs. */
  apply(changes: readonly Change[]): void
  /** Settlements that the database does not have yet. */
  readonly unshipped: number
  /** Why nothing is admitted now; undefined when requests are admitted. */
  readonly trouble: LedgerTrouble | undefined
  /** Holds of this process that are neither settled nor returned. */
  readonly openHolds: number
  /** Age and number of the requests in flight. */
  status(): LedgerStatus
  /** Writes records about a request without a hold; throws when there is no room for them. */
  record(records: readonly ShapedRecord[]): void
  /** Resolves when the database has everything written so far. */
  shipped(): Promise<void>
  /** Ships what it can within the time and returns the leases; the next start does the rest. */
  close(withinMs?: number): Promise<void>
}
