import type { Selectable } from 'kysely'
import {
  type FeatureName,
  type FeaturePrices,
  type FeatureUses,
  featureNames,
} from '../core/feature.ts'
import type { Price } from '../core/price.ts'
import { isObject, parseJson } from '../wire/json.ts'
import type { PriceVersionTable } from './tables.ts'

/** A price version as it stands in the database. */
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
  }
}

/** Null was written before features had prices: nothing has one. */
export function readFeaturePrices(text: string | null): FeaturePrices {
  const prices: Partial<Record<FeatureName, bigint>> = {}
  for (const [feature, number] of numbersIn(text)) prices[feature] = BigInt(number)
  return prices
}

/** In one order, so that the same prices are the same text. */
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
