import { isObject, type JsonObject, stringAt } from '../../wire/json.ts'
import { type FeatureWishes, featureOfTier, featureOfTool } from '../feature-wishes.ts'

/** Fields by which vendors of this protocol are asked to search the web. */
const searchFields = [
  'web_search_options',
  'search_parameters',
  'enable_search',
  'plugins',
] as const

/** Replies do not tell the calls of hosted tools, so each counts as one; only searches stand in some usages. */
const untold = { counted: 1 }

export function wishFeatures(value: JsonObject, wishes: FeatureWishes): void {
  const tier = featureOfTier(stringAt(value, 'service_tier'))
  if (tier) wishes.add(tier, 'service_tier')
  if (stringAt(value, 'speed') === 'fast') wishes.add('fastMode', 'speed')
  for (const name of searchFields) if (asksFor(value[name])) wishes.add('webSearch', name)
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
