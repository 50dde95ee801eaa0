import type { Selectable } from 'kysely'
import {
  type FeatureName,
  type FeaturePrices,
  type FeatureUses,
  featureNames,
} from '../../core/money/feature.ts'
import type { Price, PriceTier } from '../../core/money/price.ts'
import { isObject, parseJson } from '../../wire/json.ts'
import type { PriceVersionTable } from '../tables/tables.ts'

export function priceOfRow(row: Selectable<PriceVersionTable>): Price {
  return {
    versionId: row.id,
    inputNano: row.input_nano,
    cacheReadNano: row.cache_read_nano,
    cacheWrite5mNano: row.cache_write_5m_nano,
    cacheWrite1hNano: row.cache_write_1h_nano,
    outputNano: row.output_nano,
    requestNano: row.request_nano,
    features: readFeaturePrices(row.features),
    tiers: readTiers(row.tiers),
  }
}

const tierPrices = [
  'inputNano',
  'cacheReadNano',
  'cacheWrite5mNano',
  'cacheWrite1hNano',
  'outputNano',
] as const

export function readTiers(text: string | null): readonly PriceTier[] | undefined {
  const value = text === null ? undefined : parseJson(text)
  if (!Array.isArray(value) || value.length === 0) return undefined
  return value.filter(isObject).map((tier) => {
    const [inputNano, cacheReadNano, cacheWrite5mNano, cacheWrite1hNano, outputNano] =
      tierPrices.map((name) => BigInt(String(tier[name])))
    if (inputNano === undefined || outputNano === undefined) throw new Error('a tier has no price')
    return {
      aboveTokens: Number(tier['aboveTokens']),
      inputNano,
      cacheReadNano: cacheReadNano ?? inputNano,
      cacheWrite5mNano: cacheWrite5mNano ?? inputNano,
      cacheWrite1hNano: cacheWrite1hNano ?? inputNano,
      outputNano,
    }
  })
}

/** In a fixed order, so that equal tiers give equal texts; null when there are none. */
export function tiersText(tiers: readonly PriceTier[] | undefined): string | null {
  if (tiers === undefined || tiers.length === 0) return null
  const sorted = tiers.toSorted((left, right) => left.aboveTokens - right.aboveTokens)
  return JSON.stringify(
    sorted.map((tier) => {
      const prices: Partial<Record<(typeof tierPrices)[number], string>> = {}
      for (const name of tierPrices) prices[name] = String(tier[name])
      return { aboveTokens: tier.aboveTokens, ...prices }
    }),
  )
}

/** Null is from the time before features had prices: no feature has one. */
export function readFeaturePrices(text: string | null): FeaturePrices {
  const prices: Partial<Record<FeatureName, bigint>> = {}
  for (const [feature, number] of numbersIn(text)) prices[feature] = BigInt(number)
  return prices
}

/** In a fixed order, so that equal prices give equal texts. */
export function featurePricesText(prices: FeaturePrices): string {
  const numbers: Partial<Record<FeatureName, number>> = {}
  for (const feature of featureNames) {
    const price = prices[feature]
    if (price !== undefined) numbers[feature] = Number(price)
  }
  return JSON.stringify(numbers)
}

export function readFeatureUses(text: string | null): FeatureUses | undefined {
  return text === null ? undefined : Object.fromEntries(numbersIn(text))
}

function numbersIn(text: string | null): [FeatureName, number][] {
  const value = text === null ? undefined : parseJson(text)
  if (!isObject(value)) return []
  return featureNames.flatMap((feature): [FeatureName, number][] => {
    const number = value[feature]
    return typeof number === 'number' && Number.isSafeInteger(number) ? [[feature, number]] : []
  })
}
