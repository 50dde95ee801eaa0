import { countAt, isObject, type JsonObject, stringAt } from '../../../wire/json.ts'
import {
  type FeatureRequests,
  featureOfTier,
  featureOfTool,
} from '../../measure/feature-requests.ts'

/** Fields that request a web search from vendors of this protocol. */
const searchFields = ['web_search_options', 'enable_search', 'plugins'] as const

/** The vendor of this field bills each source and uses this many sources by default. */
const sourcesField = 'search_parameters'
const sourcesByDefault = 20

/**
 * Replies do not report the calls of hosted tools, so each tool counts as one call. Only some usage reports include
 * searches.
 */
const countedOnce = { counted: 1 }

export function requestFeatures(value: JsonObject, requested: FeatureRequests): void {
  const tier = featureOfTier(stringAt(value, 'service_tier'))
  if (tier) requested.add(tier, 'service_tier')
  if (stringAt(value, 'speed') === 'fast') requested.add('fastMode', 'speed')
  for (const name of searchFields) if (asksFor(value[name])) requested.add('webSearch', name)
  requestSources(value[sourcesField], requested)
  const { modalities, tools } = value
  if (Array.isArray(modalities)) {
    if (modalities.includes('audio')) requested.add('audioOutput', 'modalities')
    if (modalities.includes('image')) requested.add('imageOutput', 'modalities')
  }
  if (!Array.isArray(tools)) return
  for (const [index, tool] of tools.entries()) {
    const feature = isObject(tool) ? featureOf(tool) : undefined
    if (feature)
      requested.add(feature, `tools[${index}]`, feature === 'webSearch' ? {} : countedOnce)
  }
}

function requestSources(field: unknown, requested: FeatureRequests): void {
  if (!isObject(field) || stringAt(field, 'mode') === 'off') return
  const limit = countAt(field, 'max_search_results')
  requested.add('webSearch', sourcesField, { limit, counted: sourcesByDefault })
}

function asksFor(field: unknown): boolean {
  if (Array.isArray(field)) return field.length > 0
  return field === true || isObject(field)
}

/** A tool without a type is a function; a `builtin_function` is identified by its name. */
function featureOf(tool: JsonObject) {
  const type = stringAt(tool, 'type') ?? 'function'
  if (type !== 'builtin_function') return featureOfTool(type)
  const inner = isObject(tool['function']) ? stringAt(tool['function'], 'name') : undefined
  return featureOfTool(inner ?? type)
}
