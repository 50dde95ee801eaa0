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
    part(usage.input, price.inputNano) +
    part(usage.cacheRead, price.cacheReadNano) +
    part(usage.cacheWrite5m, price.cacheWrite5mNano) +
    part(usage.cacheWrite1h, price.cacheWrite1hNano) +
    part(usage.output, price.outputNano) +
    price.requestNano * million
  return (perMillion * factorMicro + unit - 1n) / unit
}

/** Prices are per million tokens, factors in millionths. */
const unit = million * million

function part(tokens: number, nanoPerMillion: Nano): Nano {
  return tokens === 0 ? 0n : BigInt(tokens) * nanoPerMillion
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
