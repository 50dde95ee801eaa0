import {
  type FeatureName,
  type FeaturePrices,
  type FeatureSettings,
  featureNames,
  unitOf,
} from '../core/money/feature.ts'
import { parseDecimal, parseDollars } from '../core/money/money.ts'

/** The price of each feature as a price list writes it: US$, or a factor. */
type Listed = Readonly<Partial<Record<FeatureName, string>>>

/** Hosted tools of a model whose id does not reveal its vendor: the highest public list price of each tool. */
const anywhere: Listed = {
  webSearch: '0.035',
  webFetch: '0',
  mapsSearch: '0.025',
  fileSearch: '0.0025',
  codeExecution: '0.05',
  imageGeneration: '0.25',
  mcp: '0',
}

/**
 * Public list prices by the form of the model id; a later row overrides an earlier one. Tools for which a vendor
 * charges only tokens have the price 0. Features that are not listed have no known price.
 */
const lists: readonly (readonly [RegExp, Listed])[] = [
  [
    /(?:^|[/:.])(?:gpt-(?!oss)|chatgpt-|codex|o[134](?:-|$))/,
    { webSearch: '0.01', codeExecution: '0.03', priorityTier: '2', flexTier: '0.5' },
  ],
  [/gpt-4\.1/, { priorityTier: '1.75' }],
  [/gpt-4o/, { priorityTier: '1.7' }],
  [/gpt-5-mini/, { priorityTier: '1.8' }],
  [/(?:^|[/:.])o3/, { priorityTier: '1.75' }],
  [/(?:^|[/:.])o4-mini/, { priorityTier: '1.82' }],
  [/gpt-4o-audio/, { audioInput: '40', audioOutput: '80' }],
  [/gpt-4o-mini-audio/, { audioInput: '10', audioOutput: '20' }],
  [/gpt-audio/, { audioInput: '32', audioOutput: '64' }],
  [/gpt-audio-mini/, { audioInput: '10', audioOutput: '20' }],
  [/claude/, { webSearch: '0.01', regionalInference: '1.1' }],
  [/claude-opus/, { fastMode: '6' }],
  [
    /gemini/,
    {
      webSearch: '0.035',
      fileSearch: '0',
      codeExecution: '0',
      priorityTier: '2',
      flexTier: '0.5',
    },
  ],
  [/gemini-3/, { webSearch: '0.014', mapsSearch: '0.014' }],
  [/gemini-.*flash/, { audioInput: '1' }],
  [/gemini-2\.5-flash-lite/, { audioInput: '0.3' }],
  [/gemini-3.*flash-lite/, { audioInput: '0.5' }],
  [/gemini-2\.5-pro/, { audioInput: '2.5' }],
  [/gemini-3.*pro/, { audioInput: '4' }],
  [/gemini-.*flash.*image/, { imageOutput: '60' }],
  [/gemini-2\.5-flash-image/, { imageOutput: '30' }],
  [/gemini-.*pro-image/, { imageOutput: '120' }],
  [/gemini-.*(?:live|native-audio)/, { audioInput: '3', audioOutput: '12' }],
]

/** The publicly known prices of a model's features. */
export function listFeaturePrices(modelId: string): FeaturePrices {
  const id = modelId.toLowerCase()
  const listed: Partial<Record<FeatureName, string>> = { ...anywhere }
  for (const [pattern, prices] of lists) if (pattern.test(id)) Object.assign(listed, prices)
  const prices: Partial<Record<FeatureName, bigint>> = {}
  for (const feature of featureNames) {
    const text = listed[feature]
    const price = text === undefined ? undefined : readListed(feature, text)
    if (price !== undefined) prices[feature] = price
  }
  return prices
}

function readListed(feature: FeatureName, text: string): bigint | undefined {
  return unitOf(feature) === 'factor' ? parseDecimal(text, 6) : parseDollars(text)
}

/** The known prices, overridden by the given ones. */
export function completeFeatures(modelId: string, written: FeatureSettings): FeaturePrices {
  const prices: Partial<Record<FeatureName, bigint>> = { ...listFeaturePrices(modelId) }
  for (const feature of featureNames) {
    const price = written[feature]
    if (price === null) delete prices[feature]
    else if (price !== undefined) prices[feature] = price
  }
  return prices
}
