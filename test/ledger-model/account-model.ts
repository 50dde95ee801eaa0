import { smallerOf } from '../../src/core/money/money.ts'

export type KeyName = 'limited' | 'free'

/** The key with a quota has a daily budget of its own, the other one belongs to a member with a daily budget. */
export const budgetNames = ['keyDay', 'memberDay', 'accountDay', 'accountTotal'] as const
export type BudgetName = (typeof budgetNames)[number]
export type Budgets = Partial<Record<BudgetName, bigint>>

const budgetsOf: Record<KeyName, readonly BudgetName[]> = {
  limited: ['keyDay', 'accountDay', 'accountTotal'],
  free: ['memberDay', 'accountDay', 'accountTotal'],
}

export interface Terms {
  readonly nanoPerToken: bigint
  readonly factorMicro: bigint
}

export function costOf({ nanoPerToken, factorMicro }: Terms, tokens: number): bigint {
  return (BigInt(tokens) * nanoPerToken * factorMicro + 999_999n) / 1_000_000n
}

export interface ModelHold {
  readonly requestId: string
  readonly keyId: KeyName
  /** The day of the admission. The request is charged to the budgets of this day, however late it ends. */
  readonly day: number
  heldNano: bigint
  readonly recoveryNano: bigint
  /** The terms at the admission. A later price change has no effect on the request. */
  readonly terms: Terms
  /** Its lease may have been reclaimed as abandoned; then its money is no longer reserved. */
  isLate: boolean
}

/** A model of the money of one account, in plain integers and without leases. */
export class AccountModel {
  creditNano = 0n
  quotaNano: bigint | undefined
  readonly spentNano: Record<KeyName, bigint> = { limited: 0n, free: 0n }
  holds: ModelHold[] = []
  readonly costs = new Map<string, bigint>()
  readonly topUps = new Set<number>()
  corrections = 0
  isRunning = true
  terms: Terms = { nanoPerToken: 1n, factorMicro: 1_000_000n }
  /** The cost of requests whose lease was reclaimed as abandoned. A limit may be exceeded by this amount. */
  lateNano = 0n
  /** The uncovered part of each request, which no account pays. */
  readonly uncovered = new Map<string, bigint>()
  /** A quota may be lowered below the spent amount. */
  isQuotaEdited = false
  /** The process does not know the last edit yet, so it may still spend money that it leased under the old quota. */
  isQuotaUnheard = false
  budgets: Budgets = {}
  /** The highest limit that each budget ever had: a limit may be lowered below the spent amount. */
  mostBudgets: Budgets = {}
  isBudgetUnheard = false
  /** The spending of each budget on each day. */
  readonly spentOfBudgets = new Map<string, bigint>()

  setBudgets(budgets: Budgets): void {
    this.budgets = budgets
    for (const name of budgetNames) {
      const nano = budgets[name]
      const mostNano = this.mostBudgets[name]
      if (nano !== undefined && (mostNano === undefined || nano > mostNano))
        this.mostBudgets[name] = nano
    }
  }

  /** Whether a hold must be granted, must be refused, or may be either. */
  verdictOn(keyId: KeyName, day: number, amountNano: bigint): boolean | undefined {
    const quotaNano = keyId === 'limited' ? this.quotaNano : undefined
    const all = (): boolean => true
    const leastNano = smallerOf(
      this.#restNano(quotaNano, all),
      this.#restOfBudgetsNano(keyId, day, all),
    )
    if (leastNano >= amountNano) return true
    const quotaAtMostNano = this.isQuotaUnheard ? undefined : quotaNano
    const isCounted = (hold: ModelHold): boolean => !hold.isLate
    let mostNano = this.#restNano(quotaAtMostNano, isCounted)
    if (!this.isBudgetUnheard)
      mostNano = smallerOf(mostNano, this.#restOfBudgetsNano(keyId, day, isCounted))
    return mostNano + this.lateNano >= amountNano ? undefined : false
  }

  /** A request is charged at most its hold, whatever its cost. */
  end(hold: ModelHold, costNano: bigint): void {
    const chargedNano = smallerOf(costNano, hold.heldNano)
    this.holds = this.holds.filter((each) => each !== hold)
    this.spentNano[hold.keyId] += chargedNano
    this.costs.set(hold.requestId, chargedNano)
    for (const name of budgetsOf[hold.keyId]) {
      const key = spanOf(name, hold.day)
      this.spentOfBudgets.set(key, (this.spentOfBudgets.get(key) ?? 0n) + chargedNano)
    }
    if (costNano > chargedNano) this.uncovered.set(hold.requestId, costNano - chargedNano)
    if (hold.isLate) this.lateNano += chargedNano
  }

  /**
   * Money that is held when the process learns of an edit was leased under the old quota, also after it is returned.
   */
  hearQuota(): void {
    if (this.holds.every((hold) => hold.keyId !== 'limited')) this.isQuotaUnheard = false
  }

  hearBudgets(): void {
    if (this.holds.length === 0) this.isBudgetUnheard = false
  }

  /** The process died: each open request is charged its recovery amount. */
  interrupt(): void {
    for (const hold of this.holds) this.end(hold, hold.recoveryNano)
  }

  get spentInAllNano(): bigint {
    return this.spentNano.limited + this.spentNano.free
  }

  #restOfBudgetsNano(keyId: KeyName, day: number, isCounted: (hold: ModelHold) => boolean): bigint {
    let leastNano = 2n ** 62n
    for (const name of budgetsOf[keyId]) {
      const limitNano = this.budgets[name]
      if (limitNano === undefined) continue
      const span = spanOf(name, day)
      const counted = this.holds.filter(
        (hold) =>
          isCounted(hold) &&
          budgetsOf[hold.keyId].includes(name) &&
          spanOf(name, hold.day) === span,
      )
      const spentNano = this.spentOfBudgets.get(span) ?? 0n
      leastNano = smallerOf(leastNano, limitNano - spentNano - heldBy(counted))
    }
    return leastNano
  }

  /** The remaining money of a key with this quota, or of the account without one. */
  #restNano(quotaNano: bigint | undefined, isCounted: (hold: ModelHold) => boolean): bigint {
    const counted = this.holds.filter(isCounted)
    const ofAccount = this.creditNano - this.spentInAllNano - heldBy(counted)
    if (quotaNano === undefined) return ofAccount
    const ofKey = counted.filter((hold) => hold.keyId === 'limited')
    return smallerOf(quotaNano - this.spentNano.limited - heldBy(ofKey), ofAccount)
  }
}

/** A budget and its period. */
export function spanOf(name: BudgetName, day: number): string {
  return name === 'accountTotal' ? name : `${name} ${day}`
}

function heldBy(holds: readonly ModelHold[]): bigint {
  return holds.reduce((total, hold) => total + hold.heldNano, 0n)
}
