import { type FeaturePrices, featureNames, unitOf } from '../../../core/money/feature.ts'
import { million } from '../../../core/money/money.ts'
import type { PriceTier } from '../../../core/money/price.ts'
import { readFeaturePrices, readTiers } from '../../../store/rows/price-row.ts'
import type { PriceVersionTable } from '../../../store/tables/tables.ts'
import type { FeatureTable, LongPromptPrice, PriceTable } from '../../contract.ts'

type Amounts = Pick<
  PriceVersionTable,
  | 'input_nano'
  | 'cache_read_nano'
  | 'cache_write_5m_nano'
  | 'cache_write_1h_nano'
  | 'output_nano'
  | 'request_nano'
  | 'features'
  | 'tiers'
>

/** Prices multiplied by a factor in millionths, rounded up to a nano. */
export function scaledPrice(price: Amounts, factorMicro: number): PriceTable {
  const scaled = (nano: bigint) => String((nano * BigInt(factorMicro) + million - 1n) / million)
  return {
    inputNano: scaled(price.input_nano),
    cacheReadNano: scaled(price.cache_read_nano),
    cacheWrite5mNano: scaled(price.cache_write_5m_nano),
    cacheWrite1hNano: scaled(price.cache_write_1h_nano),
    outputNano: scaled(price.output_nano),
    requestNano: scaled(price.request_nano),
    features: scaledFeatures(readFeaturePrices(price.features), scaled),
    longPrompts: describeTiers(readTiers(price.tiers) ?? [], scaled),
  }
}

function describeTiers(
  tiers: readonly PriceTier[],
  scaled: (nano: bigint) => string,
): LongPromptPrice[] {
  const sorted = tiers.toSorted((left, right) => left.aboveTokens - right.aboveTokens)
  return sorted.map((tier) => ({
    aboveTokens: tier.aboveTokens,
    inputNano: scaled(tier.inputNano),
    cacheReadNano: scaled(tier.cacheReadNano),
    cacheWrite5mNano: scaled(tier.cacheWrite5mNano),
    cacheWrite1hNano: scaled(tier.cacheWrite1hNano),
    outputNano: scaled(tier.outputNano),
  }))
}

/** A feature factor multiplies a price that already includes the group's factor, so it is not scaled. */
export function scaledFeatures(
  prices: FeaturePrices,
  scaled: (nano: bigint) => string = String,
): FeatureTable {
  const table: { -readonly [Name in keyof FeatureTable]: FeatureTable[Name] } = {}
  for (const feature of featureNames) {
    const price = prices[feature]
    if (price === undefined) continue
    table[feature] = unitOf(feature) === 'factor' ? String(price) : scaled(price)
  }
  return table
}

export function describePrice(price: Amounts): PriceTable {
  return scaledPrice(price, Number(million))
}
