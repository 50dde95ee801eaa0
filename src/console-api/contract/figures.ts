import { type FeatureUnit, isFeature, unitOf } from '../../core/money/feature.ts'
import { formatDollars, parseDollars, shortDecimal, shortDollars } from '../../core/money/money.ts'

/* Computations that the browser and the back end share, apart from the rules of forms. */

/** The shortest exact text of a feature price, for an input. */
export function featureText(feature: string, price: string): string {
  return isFactor(feature) ? shortDecimal(BigInt(price), 6) : shortDollars(BigInt(price))
}

/** The shortest exact amount in US$, such as `2.5`. */
export function shortAmount(nano: string): string {
  return shortDollars(BigInt(nano))
}

/** The form in which a user types an amount in US$: `5.00`, `0.000001`. */
export function plainDollars(nano: string): string {
  return formatDollars(BigInt(nano))
}

/** `call`, `tokens` or `factor`. */
export function featureUnit(feature: string): FeatureUnit {
  return isFeature(feature) ? unitOf(feature) : 'call'
}

function isFactor(feature: string): boolean {
  return featureUnit(feature) === 'factor'
}

const hourMs = 3_600_000

/**
 * Start of a period that ends now. It starts at a full hour and its last hour is the current one, so that hourly sums
 * cover the period and every page means the same by `7 days`.
 */
export function periodStart(nowMs: number, lengthMs: number): number {
  return nowMs - (nowMs % hourMs) + hourMs - lengthMs
}

/** Exact nano-US-dollars of a decimal filter such as `0.5`; undefined if the text is not an amount. */
export function nanoOfCost(text: string): string | undefined {
  const nano = parseDollars(text)
  return nano === undefined || nano < 0n ? undefined : nano.toString()
}
