import { type Nano, smallerOf } from '../core/money.ts'
import { costOf, costOfTokens, type Price } from '../core/price.ts'
import type { TokenUsage } from '../core/usage.ts'

export interface RatedEntry {
  readonly usage: TokenUsage
  readonly usageSource: string
  readonly factorMicro: bigint
  readonly costNano: Nano
}

/** What an entry must cost by its own figures and its price version. */
export function rerate(
  { usage, usageSource, factorMicro, costNano }: RatedEntry,
  price: Price,
): Nano {
  switch (usageSource) {
    // Nothing was delivered, so nothing is charged, not even a price for each request.
    case 'none':
      return 0n
    // An interrupted request is charged at most its hold, which nobody knows any more.
    case 'recovered': {
      const mostNano = costOfTokens(price, factorMicro, usage.input, usage.output)
      return costNano < 0n ? 0n : smallerOf(costNano, mostNano)
    }
    default:
      return costOf(usage, price, factorMicro)
  }
}
