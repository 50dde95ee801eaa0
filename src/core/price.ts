import { million, type Nano } from './money.ts'
import { scaleCost } from './scale-cost.ts'
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
    numberPart(usage.input, price.inputNano) +
    numberPart(usage.cacheRead, price.cacheReadNano) +
    numberPart(usage.cacheWrite5m, price.cacheWrite5mNano) +
    numberPart(usage.cacheWrite1h, price.cacheWrite1hNano) +
    numberPart(usage.output, price.outputNano) +
    Number(price.requestNano) * 1_000_000
  const cost = scaleCost(perMillion, Number(factorMicro))
  return cost === undefined ? costOfLarge(usage, price, factorMicro) : BigInt(cost)
}

/** The same for amounts that numbers cannot hold exactly. */
function costOfLarge(usage: TokenUsage, price: Price, factorMicro: bigint): Nano {
  const perMillion =
    part(usage.input, price.inputNano) +
    part(usage.cacheRead, price.cacheReadNano) +
    part(usage.cacheWrite5m, price.cacheWrite5mNano) +
    part(usage.cacheWrite1h, price.cacheWrite1hNano) +
    part(usage.output, price.outputNano) +
    price.requestNano * million
  return roundUp(perMillion * factorMicro)
}

/** The same for plain input at the dearest rate there is, and output: a bound that is asked for before each request. */
export function costOfTokens(
  price: Price,
  factorMicro: bigint,
  inputTokens: number,
  outputTokens: number,
): Nano {
  const inputNano = dearestInputNano(price)
  const perMillion =
    numberPart(inputTokens, inputNano) +
    numberPart(outputTokens, price.outputNano) +
    Number(price.requestNano) * 1_000_000
  const cost = scaleCost(perMillion, Number(factorMicro))
  if (cost !== undefined) return BigInt(cost)
  const largePerMillion =
    part(inputTokens, inputNano) +
    part(outputTokens, price.outputNano) +
    price.requestNano * million
  return roundUp(largePerMillion * factorMicro)
}

/** Exact as long as it is a safe integer, and so is a sum of such parts. */
function numberPart(tokens: number, nanoPerMillion: Nano): number {
  return tokens === 0 ? 0 : tokens * Number(nanoPerMillion)
}

/** Prices are per million tokens, factors in millionths. */
const unit = million * million

function roundUp(scaled: bigint): Nano {
  return (scaled + unit - 1n) / unit
}

function part(tokens: number, nanoPerMillion: Nano): Nano {
  return tokens === 0 ? 0n : BigInt(tokens) * nanoPerMillion
}

/** The dearest an input token can be: a prompt may be all cache writes. */
export function dearestInputNano(price: Price): Nano {
  let dearest = price.inputNano
  if (price.cacheReadNano > dearest) dearest = price.cacheReadNano
  if (price.cacheWrite5mNano > dearest) dearest = price.cacheWrite5mNano
  if (price.cacheWrite1hNano > dearest) dearest = price.cacheWrite1hNano
  return dearest
}
