import { countAt, isObject, type JsonObject, objectAt, stringAt } from '../../wire/json.ts'
import { type FeatureRequests, featureOfTier, featureOfTool } from '../feature-requests.ts'

export function requestFeatures(value: JsonObject, requested: FeatureRequests): void {
  const tier = featureOfTier(stringAt(value, 'service_tier'))
  if (tier) requested.add(tier, 'service_tier')
  const { modalities } = value
  if (Array.isArray(modalities) && modalities.includes('audio')) {
    requested.add('audioOutput', 'modalities')
  }
  requested.together = countAt(value, 'max_tool_calls')
  wishTools(value['tools'], 'tools', requested)
  const { input } = value
  if (!Array.isArray(input)) return
  // An item of the conversation may contain tools.
  for (const [index, item] of input.entries()) {
    if (isObject(item) && 'tools' in item) {
      wishTools(item['tools'], `input[${index}].tools`, requested)
    }
  }
}

function wishTools(tools: unknown, path: string, requested: FeatureRequests): void {
  if (!Array.isArray(tools)) return
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) continue
    const place = `${path}[${index}]`
    if (tool['type'] === 'namespace') wishTools(tool['tools'], `${place}.tools`, requested)
    const feature = featureOf(tool)
    if (feature) requested.add(feature, place, { limit: requested.together })
  }
}

function featureOf(tool: JsonObject) {
  const type = stringAt(tool, 'type') ?? 'function'
  if (type !== 'shell') return featureOfTool(type)
  // A shell runs at the client or in a container of the vendor.
  const place = stringAt(objectAt(tool, 'environment') ?? {}, 'type')
  return place?.startsWith('container') ? 'codeExecution' : undefined
}
