import type { Nano } from '../core/money.ts'
import { costOf, costOfTokens, type Price } from '../core/price.ts'
import type { TokenUsage } from '../core/usage.ts'

export interface RatedEntry {
  readonly usage: TokenUsage
  readonly usageSource: string
  readonly factorMicro: bigint
}

/** What an entry must cost by its own figures and its price version. */
export function rerate({ usage, usageSource, factorMicro }: RatedEntry, price: Price): Nano {
  switch (usageSource) {
    // Nothing was delivered, so nothing is charged, not even a price for each request.
    case 'none':
      return 0n
    // An interrupted request is charged what its input was thought to cost when it was admitted, at the dearest rate.
    case 'recovered':
      return costOfTokens(price, factorMicro, usage.input, usage.output)
    default:
      return costOf(usage, price, factorMicro)
  }
}
