import { countAt, isObject, type JsonObject, stringAt } from '../../wire/json.ts'
import { type FeatureWishes, featureOfTier, featureOfTool } from '../feature-wishes.ts'

/** Fields by which vendors of this protocol are asked to search the web. */
const searchFields = ['web_search_options', 'enable_search', 'plugins'] as const

/** The vendor that is asked in this field bills each source, and takes so many where nobody says how many. */
const sourcesField = 'search_parameters'
const sourcesByDefault = 20

/** Replies do not tell the calls of hosted tools, so each counts as one; only searches stand in some usages. */
const untold = { counted: 1 }

export function wishFeatures(value: JsonObject, wishes: FeatureWishes): void {
  const tier = featureOfTier(stringAt(value, 'service_tier'))
  if (tier) wishes.add(tier, 'service_tier')
  if (stringAt(value, 'speed') === 'fast') wishes.add('fastMode', 'speed')
  for (const name of searchFields) if (asksFor(value[name])) wishes.add('webSearch', name)
  wishSources(value[sourcesField], wishes)
  const { modalities, tools } = value
  if (Array.isArray(modalities)) {
    if (modalities.includes('audio')) wishes.add('audioOutput', 'modalities')
    if (modalities.includes('image')) wishes.add('imageOutput', 'modalities')
  }
  if (!Array.isArray(tools)) return
  for (const [index, tool] of tools.entries()) {
    const feature = isObject(tool) ? featureOf(tool) : undefined
    if (feature) wishes.add(feature, `tools[${index}]`, feature === 'webSearch' ? {} : untold)
  }
}

function wishSources(field: unknown, wishes: FeatureWishes): void {
  if (!isObject(field) || stringAt(field, 'mode') === 'off') return
  const limit = countAt(field, 'max_search_results')
  wishes.add('webSearch', sourcesField, { limit, counted: sourcesByDefault })
}

function asksFor(field: unknown): boolean {
  if (Array.isArray(field)) return field.length > 0
  return field === true || isObject(field)
}

/** A tool without a type is a function; `builtin_function` names what it is. */
function featureOf(tool: JsonObject) {
  const type = stringAt(tool, 'type') ?? 'function'
  if (type !== 'builtin_function') return featureOfTool(type)
  const inner = isObject(tool['function']) ? stringAt(tool['function'], 'name') : undefined
  return featureOfTool(inner ?? type)
}
