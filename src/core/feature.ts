import type { Nano } from './money.ts'

/**
 * What a request can ask for beyond plain tokens, and how each is billed. `call`: nano-US-dollars per call, image or
 * container. `factor`: the price of all tokens is multiplied, in millionths. `tokens`: nano-US-dollars per million
 * tokens of one kind, which count inside input or output.
 */
const featureUnits = {
  webSearch: 'call',
  webFetch: 'call',
  mapsSearch: 'call',
  fileSearch: 'call',
  codeExecution: 'call',
  imageGeneration: 'call',
  mcp: 'call',
  /** A tool that the upstream runs and that has no name here. */
  otherTool: 'call',
  priorityTier: 'factor',
  flexTier: 'factor',
  /** A service tier that has no name here. */
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

/** What each feature costs in one price version; one that is missing has no price. */
export type FeaturePrices = Readonly<Partial<Record<FeatureName, bigint>>>

/** As somebody writes them down: null says that there is none, undefined leaves what is known. */
export type FeatureSettings = Readonly<Partial<Record<FeatureName, bigint | null | undefined>>>

/** How often each was used: calls, 1 for a factor that applied, or tokens of the kind. */
export type FeatureUses = Readonly<Partial<Record<FeatureName, number>>>

/** One feature that a request asks for. */
export interface FeatureRequest {
  readonly feature: FeatureName
  /** The most calls that are paid for in advance; 1 for the others. */
  readonly most: number
  /** How many of these calls the caller's own limits allow; the others are given a limit by the gateway. */
  readonly limited?: number
  /** How many of its tools have no limit of the caller's own. */
  readonly unlimited?: number
  /** The field that asks for it. */
  readonly param: string
}

/** Calls that one tool may make where the caller sets no limit; told to the upstream if its protocol has a field for it. */
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

/** A product of factors in millionths, as a fraction: rounding is left to whoever rounds once. */
export interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

const one: Fraction = { over: 1n, under: 1n }

/** What the price of tokens is multiplied with. */
export function factorOf(uses: FeatureUses, prices: FeaturePrices): Fraction {
  let product = one
  for (const [feature, price] of pricedUses(uses, prices)) {
    if (unitOf(feature) === 'factor') product = times(product, price)
  }
  return product
}

/** What the calls cost together. */
export function callsNano(uses: FeatureUses, prices: FeaturePrices): Nano {
  let nano = 0n
  for (const [feature, price, count] of pricedUses(uses, prices)) {
    if (unitOf(feature) === 'call') nano += BigInt(count) * price
  }
  return nano
}

/** The most that wishes can multiply tokens with: an upstream may serve less than was asked for. */
export function factorBound(requested: readonly FeatureRequest[], prices: FeaturePrices): Fraction {
  let product = one
  for (const { feature } of requested) {
    const price = unitOf(feature) === 'factor' ? prices[feature] : undefined
    if (price !== undefined && price > micro) product = times(product, price)
  }
  return product
}

/** `together`: no more calls than that in all, each of which may be the dearest. */
export function callsBound(
  requested: readonly FeatureRequest[],
  prices: FeaturePrices,
  together: number | undefined,
): Nano {
  let nano = 0n
  let dearest = 0n
  for (const { feature, most } of requested) {
    if (unitOf(feature) !== 'call') continue
    const price = prices[feature] ?? 0n
    nano += BigInt(most) * price
    if (price > dearest) dearest = price
  }
  return together === undefined ? nano : BigInt(together) * dearest
}

/** The dearest token of these kinds that the wishes lead to, or the plain one. */
export function dearestOf(
  plainNano: Nano,
  kinds: readonly FeatureName[],
  requested: readonly FeatureRequest[],
  prices: FeaturePrices,
): Nano {
  let dearest = plainNano
  for (const { feature } of requested) {
    const price = kinds.includes(feature) ? prices[feature] : undefined
    if (price !== undefined && price > dearest) dearest = price
  }
  return dearest
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
