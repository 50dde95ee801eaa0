import { z } from 'zod'
import { type FeatureName, featureNames, unitOf } from '../../core/money/feature.ts'
import { formatDollars, parseDecimal } from '../../core/money/money.ts'
import {
  define,
  type Field,
  type MaybeField,
  maybe,
  optional,
  required,
  type ValuesOf,
} from '../../fields/definition.ts'
import { codecOf, type Kind, shownOf } from '../../fields/kind.ts'
import { countKind, factorText, instantKind, moneyKind } from '../../fields/kinds.ts'
import { objectKind, rowsOf } from '../../fields/object-kind.ts'
import {
  featureDollarsMax,
  featureFactorMax,
  longPromptsMax,
  plannedPricesMax,
  problemMessage,
  type ValueProblem,
} from '../../fields/problems.ts'

const by = 'operator'

/** A factor in millionths, or nano-US-dollars. */
const units = {
  factor: { digits: 6, most: featureFactorMax, problem: 'feature_factor_wrong', text: factorText },
  amount: {
    digits: 9,
    most: featureDollarsMax,
    problem: 'feature_price_wrong',
    text: formatDollars,
  },
} as const satisfies Record<string, { problem: ValueProblem } & Record<string, unknown>>

/** Null means no price, as does an empty value in the file. */
export function featureKind(feature: FeatureName): Kind<bigint | null, string | null> {
  const { digits, most, problem, text } = unitOf(feature) === 'factor' ? units.factor : units.amount
  const zeros = String(most).length - 1 + digits
  const wholeMost = BigInt(most) * 10n ** BigInt(digits)
  const error = problemMessage(problem)
  return {
    entry: 'text',
    shown: shownOf(moneyKind).nullable(),
    show: (price) => (price === null ? null : String(price)),
    write: (price) => (price === null ? null : text(price)),
    wire: codecOf(
      z
        .string({ error })
        .regex(new RegExp(`^(0|[1-9]\\d{0,${zeros - 1}}|10{${zeros}})$`), { error }),
      z.bigint(),
      problem,
      { read: BigInt, write: String },
    ).nullable(),
    written: codecOf<bigint, string | number>(
      z.union([z.string(), z.number()], { error }),
      z.bigint(),
      problem,
      {
        read: (given) => {
          const price = parseDecimal(given, digits)
          return price !== undefined && price >= 0n && price <= wholeMost ? price : undefined
        },
        write: text,
      },
    ).nullable(),
  }
}

const aboutUnit = {
  call: 'Nano-US-dollars per call; null: no price.',
  tokens: 'Nano-US-dollars per million tokens of this kind; null: no price.',
  factor: 'Factor for the price of all tokens, in millionths; null: no price.',
} as const

/** An absent feature has the publicly known price of the model, if any. */
const featureFields = Object.fromEntries(
  featureNames.map((feature) => [
    feature,
    maybe(featureKind(feature), { about: aboutUnit[unitOf(feature)], by }),
  ]),
) as { readonly [Name in FeatureName]: MaybeField<bigint | null, string | null> }

export const featuresKind = objectKind(featureFields)

function tokens(file: string, about: string): Field<bigint, string> {
  return required(moneyKind, { file, about: `${about}, per million.`, by })
}

/** A price that the file omits equals the nearest given price; see `sameAs`. */
const tokenFields = {
  inputNano: tokens('input', 'Input tokens'),
  cacheReadNano: {
    ...tokens('cacheRead', 'Cached input tokens'),
    sameAs: 'inputNano',
  },
  cacheWrite5mNano: {
    ...tokens('cacheWrite5m', 'Tokens written to the 5-minute cache'),
    sameAs: 'inputNano',
  },
  cacheWrite1hNano: {
    ...tokens('cacheWrite1h', 'Tokens written to the 1-hour cache'),
    sameAs: 'cacheWrite5mNano',
  },
  outputNano: tokens('output', 'Output tokens'),
}

/** The length of a prompt in tokens. */
export const aboveKind = countKind(1)

const stepKind = objectKind({
  aboveTokens: required(aboveKind, {
    file: 'above',
    about: 'These prices apply to prompts with more tokens than this.',
    by,
  }),
  ...tokenFields,
})

/** A version of a model's price, in nano-US-dollars. */
export const priceDefinition = define('price', {
  ...tokenFields,
  requestNano: optional(moneyKind, 0n, { file: 'request', about: 'Price per request.', by }),
  features: maybe(featuresKind, {
    about:
      'Prices of features that plain token prices do not cover. If absent, the current feature prices stay; a new model gets the known list prices.',
    by,
  }),
  longPrompts: maybe(
    rowsOf(stepKind, {
      max: longPromptsMax,
      many: 'steps_wrong',
      twice: 'steps_wrong',
      key: 'aboveTokens',
    }),
    {
      about:
        'Prices of all tokens for long prompts. If absent, the current steps stay, scaled with the new price.',
      by,
    },
  ),
})

export const priceKind = objectKind(priceDefinition.fields)

/** Future versions, each with its own start. */
export const plannedPricesKind = rowsOf(
  objectKind({
    validFrom: required(instantKind, { file: 'from', about: 'When the price takes effect.', by }),
    ...priceDefinition.fields,
  }),
  {
    max: plannedPricesMax,
    many: 'list_long',
    twice: 'moments_twice',
    key: 'validFrom',
  },
)
export type PriceSettings = ValuesOf<typeof priceDefinition>
