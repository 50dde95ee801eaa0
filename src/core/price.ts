import {
  callsBound,
  callsNano,
  dearestOf,
  type FeaturePrices,
  type FeatureRequest,
  type Fraction,
  factorBound,
  factorOf,
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
  /** What costs more or less than plain tokens; undefined when nothing has a price of its own. */
  readonly features?: FeaturePrices | undefined
  /** What tokens cost when the prompt is long, the shortest first; undefined when its length does not matter. */
  readonly tiers?: readonly PriceTier[] | undefined
}

/** The price of all tokens of a request whose prompt has more than so many. */
export interface PriceTier {
  readonly aboveTokens: number
  readonly inputNano: Nano
  readonly cacheReadNano: Nano
  readonly cacheWrite5mNano: Nano
  readonly cacheWrite1hNano: Nano
  readonly outputNano: Nano
}

/** The price with what a prompt of this length makes of it. */
export function priceAt(price: Price, promptTokens: number): Price {
  const tier = price.tiers?.findLast(({ aboveTokens }) => promptTokens > aboveTokens)
  return tier ? { ...price, ...tier, tiers: undefined } : price
}

/**
 * What a request costs: a pure function of usage, price version and group factor (in millionths), rounded up
 * once. Re-rating any recorded entry with the same three gives the same nano.
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

/** Tokens of a kind that has a price of its own are counted inside input or output, and charged apart. */
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

/** The same for a bound: the dearest tokens, the largest factors and all calls that the wishes allow. */
function boundWithFeatures(
  tokens: { readonly input: number; readonly output: number },
  requested: readonly FeatureRequest[],
  price: Price,
  factorMicro: bigint,
  callsTogether: number | undefined,
): Nano {
  const prices = price.features ?? {}
  const inputNano = dearestOf(dearestInputNano(price), ['audioInput'], requested, prices)
  const outputs = ['audioOutput', 'imageOutput'] as const
  const outputNano = dearestOf(price.outputNano, outputs, requested, prices)
  const perMillion = part(tokens.input, inputNano) + part(tokens.output, outputNano)
  const fixedNano = callsBound(requested, prices, callsTogether) + price.requestNano
  return scaled(perMillion, factorBound(requested, prices), fixedNano, factorMicro)
}

/** Tokens times their factor, and what does not depend on tokens, rounded up once. */
function scaled(perMillion: bigint, by: Fraction, fixedNano: Nano, factorMicro: bigint): Nano {
  const all = (perMillion * by.over + fixedNano * million * by.under) * factorMicro
  const whole = unit * by.under
  return (all + whole - 1n) / whole
}

/**
 * The same for plain input at the dearest rate there is, and output: a bound that is asked for before each request.
 * `wishes` are the features that the request asks for, `callsTogether` what bounds all their calls in one.
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
    // The prompt may turn out to be of any length up to this one.
    const { tiers, ...base } = price
    let dearest = costOfTokens(
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
      if (cost > dearest) dearest = cost
    }
    return dearest
  }
  if (requested !== undefined) {
    const tokens = { input: inputTokens, output: outputTokens }
    return boundWithFeatures(tokens, requested, price, factorMicro, callsTogether)
  }
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
