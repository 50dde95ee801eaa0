import type { TokenCounts, UsagePrice } from '../../../src/console-api/contract.ts'

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

/** What each bucket of tokens contributed. Buckets without tokens are left out. */
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
