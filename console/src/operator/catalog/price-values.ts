import { featureKind, priceDefinition } from '../../../../src/catalog/definition/price.ts'
import { featureText, shortAmount } from '../../../../src/console-api/contract/figures.ts'
import {
  type FeatureName,
  featureNames,
  freePrice,
  type LongPromptPrice,
  type PriceTable,
  type TokenPrices,
} from '../../../../src/console-api/contract.ts'
import { writtenToWire } from '../../../../src/fields/written-to-wire.ts'

export const priceNames = [
  'inputNano',
  'outputNano',
  'cacheReadNano',
  'cacheWrite5mNano',
  'cacheWrite1hNano',
  'requestNano',
] as const satisfies readonly (keyof TokenPrices)[]

/** A tier for long prompts has no price per request. */
export const tierNames = priceNames.filter((name) => name !== 'requestNano')

/** A price as typed: decimal US$ or a factor. Empty for a feature without a price. */
export type PriceValues = Record<keyof TokenPrices | FeatureName, string>

export interface TierValues extends Record<(typeof tierNames)[number], string> {
  above: number | ''
}

/** The typed amount in nano-US-dollars; undefined if it is not an amount. */
export function nanoOf(name: keyof TokenPrices, text: string): string | undefined {
  return writtenToWire(priceDefinition.fields[name].kind, text)
}

export function priceValues(price: PriceTable | null): PriceValues {
  const tokens = priceNames.map((name) => [name, shortAmount((price ?? freePrice)[name])])
  const features = featureNames.map((feature) => {
    const known = price?.features?.[feature] ?? undefined
    return [feature, known === undefined ? '' : featureText(feature, known)]
  })
  return Object.fromEntries([...tokens, ...features]) as PriceValues
}

export function tierValues(price: PriceTable | null): TierValues[] {
  return (price?.longPrompts ?? []).map((step) => ({
    above: step.aboveTokens,
    inputNano: shortAmount(step.inputNano),
    outputNano: shortAmount(step.outputNano),
    cacheReadNano: shortAmount(step.cacheReadNano),
    cacheWrite5mNano: shortAmount(step.cacheWrite5mNano),
    cacheWrite1hNano: shortAmount(step.cacheWrite1hNano),
  }))
}

export function tiersOf(values: readonly TierValues[]): LongPromptPrice[] {
  return values.map((step) => {
    const nano = (name: (typeof tierNames)[number]) => nanoOf(name, step[name]) ?? '0'
    return {
      aboveTokens: Number(step.above),
      inputNano: nano('inputNano'),
      outputNano: nano('outputNano'),
      cacheReadNano: nano('cacheReadNano'),
      cacheWrite5mNano: nano('cacheWrite5mNano'),
      cacheWrite1hNano: nano('cacheWrite1hNano'),
    }
  })
}

/** The exact typed price with features. Call it only after every field passed validation. */
export function wholePriceOf(values: PriceValues, steps: readonly TierValues[]): PriceTable {
  const features: Partial<Record<FeatureName, string | null>> = {}
  for (const feature of featureNames) {
    const text = values[feature].trim()
    features[feature] = text === '' ? null : (writtenToWire(featureKind(feature), text) ?? null)
  }
  return { ...priceOf(values), features, longPrompts: tiersOf(steps) }
}

/** Without features: the gateway fills in the known features of a new model. */
export function priceOf(values: PriceValues): TokenPrices {
  const nano = (name: keyof TokenPrices) => nanoOf(name, values[name]) ?? '0'
  return {
    inputNano: nano('inputNano'),
    cacheReadNano: nano('cacheReadNano'),
    cacheWrite5mNano: nano('cacheWrite5mNano'),
    cacheWrite1hNano: nano('cacheWrite1hNano'),
    outputNano: nano('outputNano'),
    requestNano: nano('requestNano'),
  }
}
