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
  isRunning = true
  terms: Terms = { nanoPerToken: 1n, factorMicro: 1_000_000n }
  /** Something cost more than its hold, or came after its lease was taken for abandoned. */
  isExcused = false
  /** A quota may be lowered below what is spent. */
  isQuotaEdited = false

  /** Whether a hold must be granted, must be refused, or may be either. */
  verdictOn(keyId: KeyName, amountNano: bigint): boolean | undefined {
    if (this.#restNano(keyId, () => true) >= amountNano) return true
    return this.#restNano(keyId, (hold) => !hold.isLate) >= amountNano ? undefined : false
  }

  end(hold: BookedHold, costNano: bigint): void {
    this.holds = this.holds.filter((each) => each !== hold)
    this.spentNano[hold.keyId] += costNano
    this.costs.set(hold.requestId, costNano)
    if (costNano > hold.heldNano || hold.isLate) this.isExcused = true
  }

  /** The process has died: each request is charged what was sent upstream. */
  interrupt(): void {
    for (const hold of this.holds) this.end(hold, hold.recoveryNano)
  }

  get spentInAllNano(): bigint {
    return this.spentNano.limited + this.spentNano.free
  }

  #restNano(keyId: KeyName, isCounted: (hold: BookedHold) => boolean): bigint {
    const counted = this.holds.filter(isCounted)
    const sum = (holds: readonly BookedHold[]) =>
      holds.reduce((total, hold) => total + hold.heldNano, 0n)
    const ofAccount = this.creditNano - this.spentInAllNano - sum(counted)
    if (keyId === 'free' || this.quotaNano === undefined) return ofAccount
    const ofKey =
      this.quotaNano - this.spentNano[keyId] - sum(counted.filter((hold) => hold.keyId === keyId))
    return smallerOf(ofKey, ofAccount)
  }
}
