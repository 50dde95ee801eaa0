import type { Nano } from './money.ts'

/**
 * The features that a request can use beyond plain tokens, and how each is billed. `call`: nano-US-dollars per call,
 * image or container. `factor`: multiplies the price of all tokens, in millionths. `tokens`: nano-US-dollars per
 * million tokens of one kind, which count inside input or output.
 */
const featureUnits = {
  webSearch: 'call',
  webFetch: 'call',
  mapsSearch: 'call',
  fileSearch: 'call',
  codeExecution: 'call',
  imageGeneration: 'call',
  mcp: 'call',
  /** A hosted tool that this list does not name. */
  otherTool: 'call',
  priorityTier: 'factor',
  flexTier: 'factor',
  /** A service tier that this list does not name. */
  otherTier: 'factor',
  fastMode: 'factor',
  /** The prompt must stay in one region. */
  regionalInference: 'factor',
  audioInput: 'tokens',
  audioOutput: 'tokens',
  imageOutput: 'tokens',
} as const

export type FeatureName = keyof typeof featureUnits
export const featureNames = Object.keys(featureUnits) as readonly FeatureName[]
export type FeatureUnit = 'call' | 'factor' | 'tokens'

export function unitOf(feature: FeatureName): FeatureUnit {
  return featureUnits[feature]
}

export function isFeature(name: string): name is FeatureName {
  return Object.hasOwn(featureUnits, name)
}

/** The price of each feature in one price version. A feature that is missing has no price. */
export type FeaturePrices = Readonly<Partial<Record<FeatureName, bigint>>>

/** Feature prices as an operator sets them: null removes the price, undefined keeps the known price. */
export type FeatureSettings = Readonly<Partial<Record<FeatureName, bigint | null | undefined>>>

/** The use of each feature: number of calls, 1 for a factor that applied, or tokens of the kind. */
export type FeatureUses = Readonly<Partial<Record<FeatureName, number>>>

/** One feature that a request asks for. */
export interface FeatureRequest {
  readonly feature: FeatureName
  /** The maximum number of calls that the hold covers; 1 for other units. */
  readonly most: number
  /** How many of these calls the caller's own limits allow. The gateway sets a limit for the others. */
  readonly limited?: number
  /** How many of the feature's tools have no limit from the caller. */
  readonly unlimited?: number
  /** The field that asks for the feature. */
  readonly param: string
}

/**
 * Calls that one tool may make when the caller sets no limit. The gateway sends this limit to the upstream if the
 * protocol has a field for it.
 */
export const callsByDefault: Readonly<Partial<Record<FeatureName, number>>> = {
  webSearch: 10,
  webFetch: 10,
  mapsSearch: 2,
  fileSearch: 10,
  codeExecution: 10,
  imageGeneration: 2,
  mcp: 10,
  otherTool: 10,
}

const micro = 1_000_000n

/** A product of factors in millionths, as a fraction. The final cost is rounded once, so the fraction is not. */
export interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

const one: Fraction = { over: 1n, under: 1n }

/** The factor for the price of tokens. */
export function factorOf(uses: FeatureUses, prices: FeaturePrices): Fraction {
  let product = one
  for (const [feature, price] of pricedUses(uses, prices)) {
    if (unitOf(feature) === 'factor') product = times(product, price)
  }
  return product
}

/** The cost of all calls together. */
export function callsNano(uses: FeatureUses, prices: FeaturePrices): Nano {
  let nano = 0n
  for (const [feature, price, count] of pricedUses(uses, prices)) {
    if (unitOf(feature) === 'call') nano += BigInt(count) * price
  }
  return nano
}

/** The largest factor that the requested features can lead to: an upstream may serve less than requested. */
export function factorBound(requested: readonly FeatureRequest[], prices: FeaturePrices): Fraction {
  let product = one
  for (const { feature } of requested) {
    const price = unitOf(feature) === 'factor' ? prices[feature] : undefined
    if (price !== undefined && price > micro) product = times(product, price)
  }
  return product
}

/** `together` limits the total number of calls, each of which may be of the most expensive kind. */
export function callsBound(
  requested: readonly FeatureRequest[],
  prices: FeaturePrices,
  together: number | undefined,
): Nano {
  let nano = 0n
  let highest = 0n
  for (const { feature, most } of requested) {
    if (unitOf(feature) !== 'call') continue
    const price = prices[feature] ?? 0n
    nano += BigInt(most) * price
    if (price > highest) highest = price
  }
  return together === undefined ? nano : BigInt(together) * highest
}

/** The highest price of these token kinds that the requested features can lead to, or the plain price. */
export function highestPriceOf(
  plainNano: Nano,
  kinds: readonly FeatureName[],
  requested: readonly FeatureRequest[],
  prices: FeaturePrices,
): Nano {
  let highest = plainNano
  for (const { feature } of requested) {
    const price = kinds.includes(feature) ? prices[feature] : undefined
    if (price !== undefined && price > highest) highest = price
  }
  return highest
}

function times({ over, under }: Fraction, priceMicro: bigint): Fraction {
  return { over: over * priceMicro, under: under * micro }
}

function* pricedUses(
  uses: FeatureUses,
  prices: FeaturePrices,
): Generator<[FeatureName, bigint, number]> {
  for (const feature of featureNames) {
    const count = uses[feature] ?? 0
    const price = prices[feature]
    if (count > 0 && price !== undefined) yield [feature, price, count]
  }
}
