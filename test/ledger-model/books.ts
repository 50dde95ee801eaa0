export type KeyName = 'limited' | 'free'

export interface BookedHold {
  readonly requestId: string
  readonly keyId: KeyName
  heldNano: bigint
  readonly recoveryNano: bigint
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
  nanoPerToken = 1n
  factorMicro = 1_000_000n
  /** Something cost more than its hold, came too late, or a limit was lowered: only then may more be spent than there is. */
  isExcused = false

  /** Whether a hold must be granted, must be refused, or may be either. */
  verdictOn(keyId: KeyName, amountNano: bigint): boolean | undefined {
    if (this.#restNano(keyId, () => true) >= amountNano) return true
    return this.#restNano(keyId, (hold) => !hold.isLate) >= amountNano ? undefined : false
  }

  costOf(tokens: number): bigint {
    return (BigInt(tokens) * this.nanoPerToken * this.factorMicro + 999_999n) / 1_000_000n
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
    return ofKey < ofAccount ? ofKey : ofAccount
  }
}
