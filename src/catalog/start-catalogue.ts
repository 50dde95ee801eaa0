import type { ConditionalPrice, ModelInfo, ModelPrice } from '@pydantic/genai-prices'
import type { FeatureName, FeatureSettings } from '../core/money/feature.ts'
import { type Nano, parseDollars } from '../core/money/money.ts'
import type { PriceTier } from '../core/money/price.ts'
import type { limitNames } from '../fields/limit-fields.ts'
import type { ModelValues } from './definition/model.ts'
import type { PriceSettings } from './definition/price.ts'
import { listFeaturePrices } from './feature-list-prices.ts'
import { startModels, startProviderOf } from './start-models.ts'

/**
 * The price of a model on the operator's own machine. The price is explicitly 0, because a model without a price is
 * refused.
 */
export const freePrice: PriceSettings = {
  inputNano: 0n,
  cacheReadNano: 0n,
  cacheWrite5mNano: 0n,
  cacheWrite1hNano: 0n,
  outputNano: 0n,
  requestNano: 0n,
}

export interface StarterModel {
  readonly model: Omit<ModelValues, (typeof limitNames)[number]>
  readonly price: PriceSettings
}

/**
 * The models of one vendor with the prices in force at `nowMs`, newest first. A model without a price in the package
 * is omitted.
 *
 * The package contains the prices of all vendors: 0.8 MB of text that take about 60 ms to load. This function imports
 * the package only when there is a credential to use, never on a plain start.
 */
export async function startCatalogue(
  vendor: string,
  nowMs: number,
  baseUrl?: string,
): Promise<StarterModel[]> {
  const provider = startProviderOf(vendor, baseUrl)
  const listed = Object.entries(startModels[provider] ?? {})
  if (listed.length === 0) return []
  const { findProvider } = await import('@pydantic/genai-prices')
  const known = new Map(
    findProvider({ providerId: provider })?.models.map((info) => [info.id, info]),
  )
  return listed.flatMap(([id, maxOutputTokens]) => {
    const info = known.get(id)
    const price = info && readPrice(id, pricesAt(info, nowMs))
    if (!price) return []
    const displayName = info.name ?? id
    return [
      {
        model: {
          id,
          displayName,
          ownedBy: provider,
          contextTokens: info.context_window ?? null,
          maxOutputTokens,
        },
        price,
      },
    ]
  })
}

/**
 * The latest dated price that has begun. The gateway has no prices by hour, so of prices for certain hours the highest
 * counts: the price is never too low at any other hour.
 */
function pricesAt(info: ModelInfo, nowMs: number): ModelPrice | undefined {
  if (!Array.isArray(info.prices)) return info.prices
  const current = info.prices.findLast((each) => hasStarted(each, nowMs))?.prices
  const hourly = info.prices.filter(({ constraint }) => constraint?.type === 'time_of_date')
  return hourly.map(({ prices }) => prices).reduce(moreExpensiveOf, current)
}

function moreExpensiveOf(one: ModelPrice | undefined, other: ModelPrice): ModelPrice {
  if (one === undefined) return other
  const nanoOf = (price: ModelPrice) => baseNano(price['output_mtok']) ?? 0n
  return nanoOf(other) > nanoOf(one) ? other : one
}

function hasStarted({ constraint }: ConditionalPrice, nowMs: number): boolean {
  if (constraint === undefined) return true
  return constraint.type === 'start_date' && Date.parse(constraint.start_date) <= nowMs
}

function readPrice(id: string, prices: ModelPrice | undefined): PriceSettings | undefined {
  const inputNano = baseNano(prices?.['input_mtok'])
  const outputNano = baseNano(prices?.['output_mtok'])
  if (prices === undefined || inputNano === undefined || outputNano === undefined) return undefined
  const cacheWrite5mNano = baseNano(prices['cache_write_mtok']) ?? inputNano
  return {
    inputNano,
    cacheReadNano: baseNano(prices['cache_read_mtok']) ?? inputNano,
    cacheWrite5mNano,
    cacheWrite1hNano: baseNano(prices['cache_write_1h_mtok']) ?? cacheWrite5mNano,
    outputNano,
    requestNano: 0n,
    features: { ...listFeaturePrices(id), ...readFeatures(prices) },
    longPrompts: readTiers(prices),
  }
}

/** If any price rises with the length of the prompt, the tier holds all prices that apply from that length on. */
function readTiers(prices: ModelPrice): readonly PriceTier[] | undefined {
  const starts = new Set<number>()
  for (const name of tieredNames) for (const { start } of tiersOf(prices[name])) starts.add(start)
  const tiers = [...starts]
    .toSorted((left, right) => left - right)
    .flatMap((start) => {
      const inputNano = nanoAbove(prices['input_mtok'], start)
      const outputNano = nanoAbove(prices['output_mtok'], start)
      if (inputNano === undefined || outputNano === undefined) return []
      const cacheWrite5mNano = nanoAbove(prices['cache_write_mtok'], start) ?? inputNano
      return [
        {
          aboveTokens: start,
          inputNano,
          cacheReadNano: nanoAbove(prices['cache_read_mtok'], start) ?? inputNano,
          cacheWrite5mNano,
          cacheWrite1hNano: nanoAbove(prices['cache_write_1h_mtok'], start) ?? cacheWrite5mNano,
          outputNano,
        },
      ]
    })
  return tiers.length === 0 ? undefined : tiers
}

const tieredNames = [
  'input_mtok',
  'cache_read_mtok',
  'cache_write_mtok',
  'cache_write_1h_mtok',
  'output_mtok',
] as const

function tiersOf(price: ModelPrice[string]) {
  return price === undefined || typeof price === 'number' ? [] : price.tiers
}

function nanoAbove(price: ModelPrice[string], start: number): Nano | undefined {
  const reached = tiersOf(price).filter((tier) => tier.start <= start)
  const last = reached.toSorted((left, right) => left.start - right.start).at(-1)
  return last ? parseDollars(last.price) : baseNano(price)
}

/** The feature prices that the package knows; the others come from feature-list-prices.ts. */
function readFeatures(prices: ModelPrice): FeatureSettings {
  const found: readonly (readonly [FeatureName, Nano | undefined])[] = [
    ['webSearch', perCall(prices['web_searches_kcount'])],
    ['fileSearch', perCall(prices['storage_searches_kcount'])],
    ['audioInput', baseNano(prices['input_audio_mtok'])],
    ['audioOutput', baseNano(prices['output_audio_mtok'])],
    ['imageOutput', baseNano(prices['output_image_mtok'])],
  ]
  return Object.fromEntries(found.filter(([, nano]) => nano !== undefined))
}

/** The package gives the price of a thousand calls. */
function perCall(price: ModelPrice[string]): Nano | undefined {
  const nano = baseNano(price)
  return nano === undefined ? undefined : nano / 1_000n
}

function baseNano(price: ModelPrice[string]): Nano | undefined {
  if (price === undefined) return undefined
  return parseDollars(typeof price === 'number' ? price : price.base)
}
