import { countAt, isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import {
  type FeatureRequests,
  featureOfTier,
  featureOfTool,
} from '../../measure/feature-requests.ts'

export function requestFeatures(value: JsonObject, requested: FeatureRequests): void {
  const tier = featureOfTier(stringAt(value, 'service_tier'))
  if (tier) requested.add(tier, 'service_tier')
  const { modalities } = value
  if (Array.isArray(modalities) && modalities.includes('audio')) {
    requested.add('audioOutput', 'modalities')
  }
  requested.together = countAt(value, 'max_tool_calls')
  addToolFeatures(value['tools'], 'tools', requested)
  const { input } = value
  if (!Array.isArray(input)) return
  // An item of the conversation may contain tools.
  for (const [index, item] of input.entries()) {
    if (isObject(item) && 'tools' in item) {
      addToolFeatures(item['tools'], `input[${index}].tools`, requested)
    }
  }
}

function addToolFeatures(tools: unknown, path: string, requested: FeatureRequests): void {
  if (!Array.isArray(tools)) return
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) continue
    const toolPath = `${path}[${index}]`
    if (tool['type'] === 'namespace') addToolFeatures(tool['tools'], `${toolPath}.tools`, requested)
    const feature = featureOf(tool)
    if (feature) requested.add(feature, toolPath, { limit: requested.together })
  }
}

function featureOf(tool: JsonObject) {
  const type = stringAt(tool, 'type') ?? 'function'
  if (type !== 'shell') return featureOfTool(type)
  // A shell runs at the client or in a container of the vendor.
  const environment = stringAt(objectAt(tool, 'environment') ?? {}, 'type')
  return environment?.startsWith('container') ? 'codeExecution' : undefined
}
