import {
  callsBound,
  callsNano,
  type FeaturePrices,
  type FeatureRequest,
  type Fraction,
  factorBound,
  factorOf,
  highestPriceOf,
} from './feature.ts'
import { million, type Nano } from './money.ts'
import { scaleCost } from './scale-cost.ts'
import { promptOf, type TokenUsage } from './usage.ts'

/** One version of a model's price, in nano-US-dollars per million tokens, and per request. */
export interface Price {
  readonly versionId: string
  readonly inputNano: Nano
  readonly cacheReadNano: Nano
  readonly cacheWrite5mNano: Nano
  readonly cacheWrite1hNano: Nano
  readonly outputNano: Nano
  readonly requestNano: Nano
  /** Prices of features; undefined when no feature has a price of its own. */
  readonly features?: FeaturePrices | undefined
  /** Token prices for long prompts, shortest prompt first; undefined when the price does not depend on the length. */
  readonly tiers?: readonly PriceTier[] | undefined
}

/** The price of all tokens of a request whose prompt exceeds this number of tokens. */
export interface PriceTier {
  readonly aboveTokens: number
  readonly inputNano: Nano
  readonly cacheReadNano: Nano
  readonly cacheWrite5mNano: Nano
  readonly cacheWrite1hNano: Nano
  readonly outputNano: Nano
}

/** The price that applies to a prompt of this length. */
export function priceAt(price: Price, promptTokens: number): Price {
  const tier = price.tiers?.findLast(({ aboveTokens }) => promptTokens > aboveTokens)
  return tier ? { ...price, ...tier, tiers: undefined } : price
}

/**
 * The cost of a request: a pure function of usage, price version and group factor (in millionths), rounded up once.
 * Rating a recorded entry again with the same three inputs gives the same nano amount.
 */
export function costOf(usage: TokenUsage, listed: Price, factorMicro: bigint): Nano {
  const price = listed.tiers === undefined ? listed : priceAt(listed, promptOf(usage))
  if (usage.features !== undefined && price.features !== undefined) {
    return costWithFeatures(usage, usage.features, price, price.features, factorMicro)
  }
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

/** Like `costOf`, for amounts that a number cannot hold exactly. */
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

/** Tokens of a kind with its own price are counted inside input or output, and charged separately. */
function costWithFeatures(
  usage: TokenUsage,
  uses: NonNullable<TokenUsage['features']>,
  price: Price,
  prices: FeaturePrices,
  factorMicro: bigint,
): Nano {
  const within = (feature: 'audioInput' | 'audioOutput' | 'imageOutput', left: number) =>
    prices[feature] === undefined ? 0 : Math.min(uses[feature] ?? 0, left)
  const audioInput = within('audioInput', usage.input)
  const audioOutput = within('audioOutput', usage.output)
  const imageOutput = within('imageOutput', usage.output - audioOutput)
  const perMillion =
    part(usage.input - audioInput, price.inputNano) +
    part(audioInput, prices.audioInput ?? 0n) +
    part(usage.cacheRead, price.cacheReadNano) +
    part(usage.cacheWrite5m, price.cacheWrite5mNano) +
    part(usage.cacheWrite1h, price.cacheWrite1hNano) +
    part(usage.output - audioOutput - imageOutput, price.outputNano) +
    part(audioOutput, prices.audioOutput ?? 0n) +
    part(imageOutput, prices.imageOutput ?? 0n)
  const fixedNano = callsNano(uses, prices) + price.requestNano
  return scaled(perMillion, factorOf(uses, prices), fixedNano, factorMicro)
}

/**
 * Like `costWithFeatures`, as an upper bound: the most expensive tokens, the largest factors and all calls that the
 * requested features allow.
 */
function boundWithFeatures(
  tokens: { readonly input: number; readonly output: number },
  requested: readonly FeatureRequest[],
  price: Price,
  factorMicro: bigint,
  callsTogether: number | undefined,
): Nano {
  const prices = price.features ?? {}
  const inputNano = highestPriceOf(highestInputNano(price), ['audioInput'], requested, prices)
  const outputs = ['audioOutput', 'imageOutput'] as const
  const outputNano = highestPriceOf(price.outputNano, outputs, requested, prices)
  const perMillion = part(tokens.input, inputNano) + part(tokens.output, outputNano)
  const fixedNano = callsBound(requested, prices, callsTogether) + price.requestNano
  return scaled(perMillion, factorBound(requested, prices), fixedNano, factorMicro)
}

/** Tokens times their factor, plus the amount that does not depend on tokens, rounded up once. */
function scaled(perMillion: bigint, by: Fraction, fixedNano: Nano, factorMicro: bigint): Nano {
  const all = (perMillion * by.over + fixedNano * million * by.under) * factorMicro
  const whole = unit * by.under
  return (all + whole - 1n) / whole
}

/**
 * An upper bound of the cost, computed before each request: plain input at the highest rate, and output. `requested`
 * are the requested features. `callsTogether` limits the total number of their calls.
 */
export function costOfTokens(
  price: Price,
  factorMicro: bigint,
  inputTokens: number,
  outputTokens: number,
  requested?: readonly FeatureRequest[],
  callsTogether?: number,
): Nano {
  if (price.tiers !== undefined) {
    // The prompt may have any length up to this one.
    const { tiers, ...base } = price
    let highest = costOfTokens(
      base,
      factorMicro,
      inputTokens,
      outputTokens,
      requested,
      callsTogether,
    )
    for (const { aboveTokens } of tiers) {
      if (inputTokens <= aboveTokens) break
      const tier = priceAt(price, aboveTokens + 1)
      const cost = costOfTokens(
        tier,
        factorMicro,
        inputTokens,
        outputTokens,
        requested,
        callsTogether,
      )
      if (cost > highest) highest = cost
    }
    return highest
  }
  if (requested !== undefined) {
    const tokens = { input: inputTokens, output: outputTokens }
    return boundWithFeatures(tokens, requested, price, factorMicro, callsTogether)
  }
  const inputNano = highestInputNano(price)
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

/** Exact as long as the result is a safe integer; so is a sum of such parts. */
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

/** The highest price of an input token: a prompt may consist of cache writes only. */
export function highestInputNano(price: Price): Nano {
  let highest = price.inputNano
  if (price.cacheReadNano > highest) highest = price.cacheReadNano
  if (price.cacheWrite5mNano > highest) highest = price.cacheWrite5mNano
  if (price.cacheWrite1hNano > highest) highest = price.cacheWrite1hNano
  return highest
}
