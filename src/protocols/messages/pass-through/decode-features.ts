import type { FeatureName } from '../../../core/money/feature.ts'
import { countAt, isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import {
  type CallRequest,
  type FeatureRequests,
  featureOfTool,
} from '../../measure/feature-requests.ts'
import { inlineTools } from '../decode-request/tool-changes.ts'

/** Regions in which a prompt is answered at the standard price. */
const anywhere = new Set(['', 'global', 'not_available'])

/** A container is billed once, however many calls run in it. */
const oneContainer = { counted: 1 }

/** The service tiers of this protocol differ in capacity that was bought in advance, not in price. */
export function requestFeatures(value: JsonObject, requested: FeatureRequests): void {
  const speed = stringAt(value, 'speed') ?? ''
  if (speed !== '' && speed !== 'standard') requested.add('fastMode', 'speed')
  if (!anywhere.has(stringAt(value, 'inference_geo') ?? '')) {
    requested.add('regionalInference', 'inference_geo')
  }
  const servers = value['mcp_servers']
  if (Array.isArray(servers) && servers.length > 0) requested.add('mcp', 'mcp_servers')
  const skills = objectAt(value, 'container')?.['skills']
  if (Array.isArray(skills) && skills.length > 0)
    requested.add('codeExecution', 'container', oneContainer)
  const { tools } = value
  if (Array.isArray(tools)) {
    for (const [index, tool] of tools.entries()) {
      if (isObject(tool)) addToolFeature(tool, `tools[${index}]`, requested)
    }
  }
  for (const { tool, at } of inlineTools(value['messages'])) addToolFeature(tool, at, requested)
}

function addToolFeature(tool: JsonObject, at: string, requested: FeatureRequests): void {
  const feature = featureOfTool(stringAt(tool, 'type') ?? 'custom')
  // A toolset belongs to a server that is already counted.
  if (feature === 'mcp' || feature === undefined) return
  requested.add(feature, at, callsOf(feature, tool))
}

function callsOf(feature: FeatureName, tool: JsonObject): CallRequest {
  return feature === 'codeExecution' ? oneContainer : { limit: countAt(tool, 'max_uses') }
}
