import type { ChargeFlag } from '../../core/codes.ts'
import type { Nano } from '../../core/money/money.ts'
import { costOf, costOfTokens, type Price } from '../../core/money/price.ts'
import type { TokenUsage } from '../../core/money/usage.ts'

export interface RatedEntry {
  readonly usage: TokenUsage
  readonly usageSource: string
  readonly factorMicro: bigint
  /** As stored in the entry, separated by commas. */
  readonly flags?: string
}

/** Marks an entry that recovery has created from a checkpoint. */
export const checkpointFlag: ChargeFlag = 'checkpoint'

/** The cost that follows from an entry's own figures and its price version. */
export function rerate(
  { usage, usageSource, factorMicro, flags = '' }: RatedEntry,
  price: Price,
): Nano {
  switch (usageSource) {
    // Nothing was delivered, so nothing is charged, not even the price per request.
    case 'none':
      return 0n
    // An interrupted request is charged the cost of its estimated input at the highest rate; after a checkpoint, the
    // usage up to the checkpoint.
    case 'recovered':
      return flags.split(',').includes(checkpointFlag)
        ? costOf(usage, price, factorMicro)
        : costOfTokens(price, factorMicro, usage.input, usage.output)
    default:
      return costOf(usage, price, factorMicro)
  }
}
