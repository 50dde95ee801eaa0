import { largerOf, million, type Nano } from './money.ts'
import type { TokenUsage } from './usage.ts'

/** One version of a model's price, in nano-US-dollars per million tokens, and per request. */
export interface Price {
  readonly versionId: string
  readonly inputNano: Nano
  readonly cacheReadNano: Nano
  readonly cacheWrite5mNano: Nano
  readonly cacheWrite1hNano: Nano
  readonly outputNano: Nano
  readonly requestNano: Nano
}

/**
 * What a request costs: a pure function of usage, price version and group factor (in millionths), rounded up
 * once. Re-rating any recorded entry with the same three gives the same nano.
 */
export function costOf(usage: TokenUsage, price: Price, factorMicro: bigint): Nano {
  const perMillion =
    BigInt(usage.input) * price.inputNano +
    BigInt(usage.cacheRead) * price.cacheReadNano +
    BigInt(usage.cacheWrite5m) * price.cacheWrite5mNano +
    BigInt(usage.cacheWrite1h) * price.cacheWrite1hNano +
    BigInt(usage.output) * price.outputNano +
    price.requestNano * million
  const scaled = perMillion * factorMicro
  const unit = million * million
  return (scaled + unit - 1n) / unit
}

/** The dearest an input token can be: a prompt may be all cache writes. */
export function dearestInputNano(price: Price): Nano {
  return [
    price.inputNano,
    price.cacheReadNano,
    price.cacheWrite5mNano,
    price.cacheWrite1hNano,
  ].reduce(largerOf)
}
