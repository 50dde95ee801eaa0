import { smallerOf } from '../../src/core/money.ts'

export type KeyName = 'limited' | 'free'

export interface Terms {
  readonly nanoPerToken: bigint
  readonly factorMicro: bigint
}

export function costOf({ nanoPerToken, factorMicro }: Terms, tokens: number): bigint {
  return (BigInt(tokens) * nanoPerToken * factorMicro + 999_999n) / 1_000_000n
}

export interface BookedHold {
  readonly requestId: string
  readonly keyId: KeyName
  heldNano: bigint
  readonly recoveryNano: bigint
  /** The terms under which it was admitted: a price that changes meanwhile changes nothing. */
  readonly terms: Terms
  /** Its lease may have been taken for abandoned: then its money is no longer set aside. */
  isLate: boolean
}

/** What must be true of the money of one account, in plain integers. It knows nothing of leases. */
export class Books {
  creditNano = 0n
  quotaNano: bigint | undefined
  readonly spentNano: Record<KeyName, bigint> = { limited: 0n, free: 0n }
  holds: BookedHold[] = []
  readonly costs = new Map<string, bigint>()
  readonly topUps = new Set<number>()
  corrections = 0
  isRunning = true
  terms: Terms = { nanoPerToken: 1n, factorMicro: 1_000_000n }
  /** What requests have cost whose lease was taken for abandoned: so much may be spent beyond a limit. */
  lateNano = 0n
  /** What requests have used beyond all money there was: nobody is charged for it. */
  readonly uncovered = new Map<string, bigint>()
  /** A quota may be lowered below what is spent. */
  isQuotaEdited = false
  /** The process has not heard of the last edit: it may still spend what it has leased under the old quota. */
  isQuotaUnheard = false

  /** Whether a hold must be granted, must be refused, or may be either. */
  verdictOn(keyId: KeyName, amountNano: bigint): boolean | undefined {
    const quotaNano = keyId === 'limited' ? this.quotaNano : undefined
    if (this.#restNano(quotaNano, () => true) >= amountNano) return true
    const quotaAtMostNano = this.isQuotaUnheard ? undefined : quotaNano
    const mostNano = this.#restNano(quotaAtMostNano, (hold) => !hold.isLate)
    return mostNano + this.lateNano >= amountNano ? undefined : false
  }

  /** Whatever it cost, it is charged at most what was set aside for it. */
  end(hold: BookedHold, costNano: bigint): void {
    const chargedNano = smallerOf(costNano, hold.heldNano)
    this.holds = this.holds.filter((each) => each !== hold)
    this.spentNano[hold.keyId] += chargedNano
    this.costs.set(hold.requestId, chargedNano)
    if (costNano > chargedNano) this.uncovered.set(hold.requestId, costNano - chargedNano)
    if (hold.isLate) this.lateNano += chargedNano
  }

  /** What is held when the process hears of an edit is leased under the old quota, and stays so when it comes back. */
  hearQuota(): void {
    if (this.holds.every((hold) => hold.keyId !== 'limited')) this.isQuotaUnheard = false
  }

  /** The process has died: each request is charged what was sent upstream. */
  interrupt(): void {
    for (const hold of this.holds) this.end(hold, hold.recoveryNano)
  }

  get spentInAllNano(): bigint {
    return this.spentNano.limited + this.spentNano.free
  }

  /** What is left to a key with that quota, or to the account when it has none. */
  #restNano(quotaNano: bigint | undefined, isCounted: (hold: BookedHold) => boolean): bigint {
    const counted = this.holds.filter(isCounted)
    const ofAccount = this.creditNano - this.spentInAllNano - heldBy(counted)
    if (quotaNano === undefined) return ofAccount
    const ofKey = counted.filter((hold) => hold.keyId === 'limited')
    return smallerOf(quotaNano - this.spentNano.limited - heldBy(ofKey), ofAccount)
  }
}

function heldBy(holds: readonly BookedHold[]): bigint {
  return holds.reduce((total, hold) => total + hold.heldNano, 0n)
}
