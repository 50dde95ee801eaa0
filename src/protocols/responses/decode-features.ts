import { countAt, isObject, type JsonObject, objectAt, stringAt } from '../../wire/json.ts'
import { type FeatureWishes, featureOfTier, featureOfTool } from '../feature-wishes.ts'

export function wishFeatures(value: JsonObject, wishes: FeatureWishes): void {
  const tier = featureOfTier(stringAt(value, 'service_tier'))
  if (tier) wishes.add(tier, 'service_tier')
  const { modalities } = value
  if (Array.isArray(modalities) && modalities.includes('audio')) {
    wishes.add('audioOutput', 'modalities')
  }
  wishes.together = countAt(value, 'max_tool_calls')
  wishTools(value['tools'], 'tools', wishes)
  const { input } = value
  if (!Array.isArray(input)) return
  // Tools may come as an item of the conversation.
  for (const [index, item] of input.entries()) {
    if (isObject(item) && 'tools' in item) {
      wishTools(item['tools'], `input[${index}].tools`, wishes)
    }
  }
}

function wishTools(tools: unknown, path: string, wishes: FeatureWishes): void {
  if (!Array.isArray(tools)) return
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) continue
    const place = `${path}[${index}]`
    if (tool['type'] === 'namespace') wishTools(tool['tools'], `${place}.tools`, wishes)
    const feature = featureOf(tool)
    if (feature) wishes.add(feature, place, { limit: wishes.together })
  }
}

function featureOf(tool: JsonObject) {
  const type = stringAt(tool, 'type') ?? 'function'
  if (type !== 'shell') return featureOfTool(type)
  // A shell is the caller's own, or runs in a container of the vendor.
  const place = stringAt(objectAt(tool, 'environment') ?? {}, 'type')
  return place?.startsWith('container') ? 'codeExecution' : undefined
}
