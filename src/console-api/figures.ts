import { type FeatureUnit, isFeature, unitOf } from '../core/feature.ts'
import { parseDollars } from '../core/money.ts'

/* What the browser and the back end work out in the same way, apart from the rules of forms. */

/** What fits into a field for it, as short as it can be said exactly. */
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
 * Where a period of so many hours begins that ends now: with a whole hour, the one that has begun being its last. Then
 * all of it is in the sums of the hours, and every page means the same by `7 days`.
 */
export function periodStart(nowMs: number, lengthMs: number): number {
  return nowMs - (nowMs % hourMs) + hourMs - lengthMs
}

/** Exact nano of a decimal such as `0.5` to filter by; undefined when it is no amount. */
export function nanoOfCost(text: string): string | undefined {
  const nano = parseDollars(text)
  return nano === undefined || nano < 0n ? undefined : nano.toString()
}
