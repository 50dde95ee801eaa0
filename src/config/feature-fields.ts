import { z } from 'zod'
import { type FeatureName, featureNames, unitOf } from '../core/feature.ts'
import { parseDecimal, parseDollars } from '../core/money.ts'
import { entry } from './entry-fields.ts'

/** In nano-US-dollars; larger amounts could not be kept exactly. */
const featureNanoMax = 1_000_000n * 1_000_000_000n
const factorMicroMax = 1_000n * 1_000_000n

const must = {
  call: 'must be an amount of US$ for each call such as 0.01, at most 1000000, or null for no price',
  tokens:
    'must be an amount of US$ for a million tokens such as 1.5, at most 1000000, or null for no price',
  factor: 'must be a factor such as 2, at most 1000, or null for no price',
} as const

/** One field for each feature. Null says that it has no price; what is left out has the known one. */
export const featuresField = entry(
  Object.fromEntries(featureNames.map((feature) => [feature, featureField(feature)])) as Record<
    FeatureName,
    ReturnType<typeof featureField>
  >,
)

function featureField(feature: FeatureName) {
  const unit = unitOf(feature)
  return z
    .union([z.string(), z.number(), z.null()], { error: must[unit] })
    .transform((input, context) => {
      if (input === null) return null
      const price = unit === 'factor' ? parseDecimal(input, 6) : parseDollars(input)
      const most = unit === 'factor' ? factorMicroMax : featureNanoMax
      if (price !== undefined && price >= 0n && price <= most) return price
      context.addIssue({ code: 'custom', message: must[unit] })
      return z.NEVER
    })
    .optional()
}
