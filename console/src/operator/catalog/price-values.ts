import { featureKind, priceDefinition } from '../../../../src/catalog/definition/price.ts'
import {
  type FeatureName,
  featureNames,
  freePrice,
  type LongPromptPrice,
  type PriceTable,
  type TokenPrices,
} from '../../../../src/console-api/contract.ts'
import { featureText } from '../../../../src/console-api/figures.ts'
import { writtenToWire } from '../../../../src/fields/written-to-wire.ts'

export const priceNames = [
  'inputNano',
  'outputNano',
  'cacheReadNano',
  'cacheWrite5mNano',
  'cacheWrite1hNano',
  'requestNano',
] as const satisfies readonly (keyof TokenPrices)[]

/** A step for long prompts has no price of its own for the request. */
export const stepNames = priceNames.filter((name) => name !== 'requestNano')

/** A price as it is typed: US$ or a factor, in decimal; empty for a feature without a price. */
export type PriceValues = Record<keyof TokenPrices | FeatureName, string>

/** A step as it is typed. */
export interface StepValues extends Record<(typeof stepNames)[number], string> {
  above: number | ''
}

/** What was typed, as the contract carries it; undefined when it is no amount. */
export function nanoOf(name: keyof TokenPrices, text: string): string | undefined {
  return writtenToWire(priceDefinition.fields[name].kind, text)
}

const nanoPerDollar = 1_000_000_000n

export function priceValues(price: PriceTable | null): PriceValues {
  const tokens = priceNames.map((name) => [name, dollarsOf((price ?? freePrice)[name])])
  const features = featureNames.map((feature) => {
    const known = price?.features?.[feature] ?? undefined
    return [feature, known === undefined ? '' : featureText(feature, known)]
  })
  return Object.fromEntries([...tokens, ...features]) as PriceValues
}

export function stepValues(price: PriceTable | null): StepValues[] {
  return (price?.longPrompts ?? []).map((step) => ({
    above: step.aboveTokens,
    inputNano: dollarsOf(step.inputNano),
    outputNano: dollarsOf(step.outputNano),
    cacheReadNano: dollarsOf(step.cacheReadNano),
    cacheWrite5mNano: dollarsOf(step.cacheWrite5mNano),
    cacheWrite1hNano: dollarsOf(step.cacheWrite1hNano),
  }))
}

export function stepsOf(values: readonly StepValues[]): LongPromptPrice[] {
  return values.map((step) => {
    const nano = (name: (typeof stepNames)[number]) => nanoOf(name, step[name]) ?? '0'
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

/** What was typed, exactly, features included. Only to be asked once every field is known to be an amount. */
export function wholePriceOf(values: PriceValues, steps: readonly StepValues[]): PriceTable {
  const features: Partial<Record<FeatureName, string | null>> = {}
  for (const feature of featureNames) {
    const text = values[feature].trim()
    features[feature] = text === '' ? null : (writtenToWire(featureKind(feature), text) ?? null)
  }
  return { ...priceOf(values), features, longPrompts: stepsOf(steps) }
}

/** The same without features: a new model gets those that are known of it. */
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

/** `2.5`: as short as it can be said exactly. */
function dollarsOf(nano: string): string {
  const amount = BigInt(nano)
  const rest = (amount % nanoPerDollar).toString().padStart(9, '0').replace(/0+$/, '')
  return `${amount / nanoPerDollar}${rest === '' ? '' : `.${rest}`}`
}
