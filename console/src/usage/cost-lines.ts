import { featureUnit } from '../../../src/console-api/contract/figures.ts'
import {
  type FeatureName,
  featureNames,
  type TokenCounts,
  type UsageDetail,
  type UsagePrice,
} from '../../../src/console-api/contract.ts'

const million = 1_000_000n

type Bucket = Exclude<keyof TokenCounts, 'reasoning'>

export interface CostLine {
  readonly bucket: Bucket
  readonly count: number
  readonly priceNano: string
  /** Rounded to the nano for display; the request as a whole is rounded up once. */
  readonly amountNano: bigint
}

const buckets: readonly Bucket[] = ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output']

/** The cost of each token bucket. Buckets without tokens are left out. */
export function costLines(tokens: TokenCounts, price: UsagePrice): CostLine[] {
  return buckets
    .filter((bucket) => tokens[bucket] > 0)
    .map((bucket) => {
      const priceNano = price[`${bucket}Nano`]
      const scaled = BigInt(tokens[bucket]) * BigInt(priceNano) * BigInt(price.factorMicro)
      return { bucket, count: tokens[bucket], priceNano, amountNano: scaled / million / million }
    })
}

export function requestAmount(price: UsagePrice): bigint {
  return (BigInt(price.requestNano) * BigInt(price.factorMicro)) / million
}

interface FeatureLine {
  readonly feature: FeatureName
  readonly unit: 'call' | 'tokens' | 'factor'
  readonly count: number
  /** A price in nano-US-dollars or, for a factor, in millionths; null if there was none. */
  readonly price: string | null
  /** Undefined for a factor, which changes the token prices above. */
  readonly amountNano: bigint | undefined
}

/** Cost of features. */
export function featureLines(used: UsageDetail['features'], price: UsagePrice): FeatureLine[] {
  return featureNames.flatMap((feature): FeatureLine[] => {
    const count = used[feature] ?? 0
    const priceNano = price.features[feature] ?? null
    if (count === 0) return []
    const unit = featureUnit(feature)
    const scaled = BigInt(count) * BigInt(priceNano ?? 0) * BigInt(price.factorMicro)
    return [
      {
        feature,
        unit,
        count,
        price: priceNano,
        amountNano: unit === 'call' ? scaled / million : undefined,
      },
    ]
  })
}
