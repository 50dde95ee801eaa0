import type { PriceSettings } from '../../../catalog/catalog-store.ts'
import {
  type FeaturePrices,
  type FeatureSettings,
  featureNames,
  isFeature,
} from '../../../core/feature.ts'
import type { PriceTier } from '../../../core/price.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { PriceTable } from '../../contract.ts'
import {
  checkRule,
  ifSent,
  listField,
  nanoField,
  numberField,
  objectField,
  orNull,
  type Read,
} from '../../read-fields.ts'
import { wrongField } from '../../refusal.ts'
import { countProblem, featureProblem, longPromptsProblem, nanoProblem } from '../../rules.ts'
import { describeTiers, scaledFeatures } from '../models/scaled-price.ts'

const nano = nanoField(nanoProblem)

export const priceField = objectField(
  (entry: JsonObject): PriceSettings => ({
    ...readTokens(entry),
    requestNano: nano(entry, 'requestNano'),
    features: ifSent(objectField(readFeatures))(entry, 'features'),
    tiers: ifSent(tiersField)(entry, 'longPrompts'),
  }),
)

function readTokens(entry: JsonObject): Omit<PriceTier, 'aboveTokens'> {
  return {
    inputNano: nano(entry, 'inputNano'),
    cacheReadNano: nano(entry, 'cacheReadNano'),
    cacheWrite5mNano: nano(entry, 'cacheWrite5mNano'),
    cacheWrite1hNano: nano(entry, 'cacheWrite1hNano'),
    outputNano: nano(entry, 'outputNano'),
  }
}

const tiersField: Read<readonly PriceTier[]> = (body, field) => {
  const tiers = listField((entry) => ({
    aboveTokens: numberField(countProblem)(entry, 'aboveTokens'),
    ...readTokens(entry),
  }))(body, field)
  checkRule(field, longPromptsProblem(tiers.map(({ aboveTokens }) => aboveTokens)))
  return tiers
}

const featureNano = orNull(nanoField(featureProblem))

/** What is not named is known of the model. */
function readFeatures(entry: JsonObject): FeatureSettings {
  const unknown = Object.keys(entry).find((name) => !isFeature(name))
  if (unknown !== undefined)
    throw wrongField('features', 'word_wrong', { words: featureNames.join(', ') })
  return Object.fromEntries(
    featureNames.map((feature) => [feature, ifSent(featureNano)(entry, feature)]),
  )
}

function pricedOf(settings: FeatureSettings): FeaturePrices {
  const entries = Object.entries(settings)
  return Object.fromEntries(entries.filter(([, price]) => typeof price === 'bigint'))
}

export function describeSettingsPrice(price: PriceSettings): PriceTable {
  return {
    inputNano: String(price.inputNano),
    cacheReadNano: String(price.cacheReadNano),
    cacheWrite5mNano: String(price.cacheWrite5mNano),
    cacheWrite1hNano: String(price.cacheWrite1hNano),
    outputNano: String(price.outputNano),
    requestNano: String(price.requestNano),
    ...(price.features ? { features: scaledFeatures(pricedOf(price.features)) } : {}),
    ...(price.tiers ? { longPrompts: describeTiers(price.tiers) } : {}),
  }
}
