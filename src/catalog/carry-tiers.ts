import { type Nano, smallerOf } from '../core/money.ts'
import type { PriceTier } from '../core/price.ts'
import { dollarsMost } from '../fields/kinds.ts'

type TokenPrices = Omit<PriceTier, 'aboveTokens'>

/**
 * What long prompts cost after a price has changed and nothing was said of them: as much more than short ones as
 * before. Never less, so that a changed price does not serve long prompts at a loss.
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

/** Rounded up, to the highest price at most. What cost nothing before has no proportion: it stays as it is, and at least what short prompts cost. */
function scale(tierNano: Nano, beforeNano: Nano, afterNano: Nano): Nano {
  if (beforeNano === 0n) return tierNano > afterNano ? tierNano : afterNano
  return smallerOf((tierNano * afterNano + beforeNano - 1n) / beforeNano, dollarsMost)
}
