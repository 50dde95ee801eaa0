import type { ChargeFlag } from '../../core/codes.ts'
import type { Nano } from '../../core/money.ts'
import { costOf, costOfTokens, type Price } from '../../core/price.ts'
import type { TokenUsage } from '../../core/usage.ts'

export interface RatedEntry {
  readonly usage: TokenUsage
  readonly usageSource: string
  readonly factorMicro: bigint
  /** As they stand in the entry, with commas. */
  readonly flags?: string
}

/** Marks an entry that recovery has made from a checkpoint. */
export const checkpointFlag: ChargeFlag = 'checkpoint'

/** What an entry must cost by its own figures and its price version. */
export function rerate(
  { usage, usageSource, factorMicro, flags = '' }: RatedEntry,
  price: Price,
): Nano {
  switch (usageSource) {
    // Nothing was delivered, so nothing is charged, not even a price for each request.
    case 'none':
      return 0n
    // An interrupted request is charged what its input was thought to cost when it was admitted, at the dearest rate;
    // after a checkpoint, what was used until then.
    case 'recovered':
      return flags.split(',').includes(checkpointFlag)
        ? costOf(usage, price, factorMicro)
        : costOfTokens(price, factorMicro, usage.input, usage.output)
    default:
      return costOf(usage, price, factorMicro)
  }
}
