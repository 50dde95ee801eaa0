import { type FeaturePrices, featureNames, unitOf } from '../../../core/feature.ts'
import { million } from '../../../core/money.ts'
import { readFeaturePrices } from '../../../store/price-row.ts'
import type { PriceVersionTable } from '../../../store/tables.ts'
import type { FeatureTable, PriceTable } from '../../contract.ts'

type Amounts = Pick<
  PriceVersionTable,
  | 'input_nano'
  | 'cache_read_nano'
  | 'cache_write_5m_nano'
  | 'cache_write_1h_nano'
  | 'output_nano'
  | 'request_nano'
  | 'features'
>

/** Prices with a factor in millionths applied, each rounded up to a nano. */
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
  }
}

/** A factor multiplies what the group's factor has multiplied already. */
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
