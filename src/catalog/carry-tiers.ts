import { type Nano, smallerOf } from '../core/money/money.ts'
import type { PriceTier } from '../core/money/price.ts'
import { dollarsMax } from '../fields/kinds.ts'

type TokenPrices = Omit<PriceTier, 'aboveTokens'>

/**
 * The prices of long prompts after a price change that does not mention them. The ratio to the price of short prompts
 * stays the same or rises by rounding, so that a price change does not serve long prompts at a loss.
 */
export function carryTiers(
  before: TokenPrices & { readonly tiers?: readonly PriceTier[] | undefined },
  after: TokenPrices,
): readonly PriceTier[] | undefined {
  return before.tiers?.map((tier) => {
    const inProportion = (name: keyof TokenPrices): Nano =>
      scale(tier[name], before[name], after[name])
    return {
      aboveTokens: tier.aboveTokens,
      inputNano: inProportion('inputNano'),
      cacheReadNano: inProportion('cacheReadNano'),
      cacheWrite5mNano: inProportion('cacheWrite5mNano'),
      cacheWrite1hNano: inProportion('cacheWrite1hNano'),
      outputNano: inProportion('outputNano'),
    }
  })
}

/**
 * Rounds up and caps at the highest allowed price. A price of 0 has no ratio: the tier then keeps its price, but costs
 * at least as much as short prompts.
 */
function scale(tierNano: Nano, beforeNano: Nano, afterNano: Nano): Nano {
  if (beforeNano === 0n) return tierNano > afterNano ? tierNano : afterNano
  return smallerOf((tierNano * afterNano + beforeNano - 1n) / beforeNano, dollarsMax)
}
