import { type FeatureUnit, isFeature, unitOf } from '../../core/money/feature.ts'
import { parseDollars } from '../../core/money/money.ts'

/* Computations that the browser and the back end share, apart from the rules of forms. */

/** The shortest exact text of a feature price, for an input. */
export function featureText(feature: string, price: string): string {
  const unit = isFactor(feature) ? 1_000_000n : 1_000_000_000n
  const rest = String((BigInt(price) % unit) + unit)
    .slice(1)
    .replace(/0+$/, '')
  return `${BigInt(price) / unit}${rest === '' ? '' : `.${rest}`}`
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
