import type { FeatureName } from '../../core/feature.ts'
import { countAt, isObject, type JsonObject, objectAt, stringAt } from '../../wire/json.ts'
import { type CallWish, type FeatureWishes, featureOfTool } from '../feature-wishes.ts'
import { inlineTools } from './tool-changes.ts'

/** Places in which a prompt is answered at the plain price. */
const anywhere = new Set(['', 'global', 'not_available'])

/** A container is paid for once, however many calls run in it. */
const oneContainer = { counted: 1 }

/** The service tiers of this protocol differ in capacity that was bought in advance, not in price. */
export function wishFeatures(value: JsonObject, wishes: FeatureWishes): void {
  const speed = stringAt(value, 'speed') ?? ''
  if (speed !== '' && speed !== 'standard') wishes.add('fastMode', 'speed')
  if (!anywhere.has(stringAt(value, 'inference_geo') ?? '')) {
    wishes.add('regionalInference', 'inference_geo')
  }
  const servers = value['mcp_servers']
  if (Array.isArray(servers) && servers.length > 0) wishes.add('mcp', 'mcp_servers')
  const skills = objectAt(value, 'container')?.['skills']
  if (Array.isArray(skills) && skills.length > 0)
    wishes.add('codeExecution', 'container', oneContainer)
  const { tools } = value
  if (Array.isArray(tools)) {
    for (const [index, tool] of tools.entries()) {
      if (isObject(tool)) wishTool(tool, `tools[${index}]`, wishes)
    }
  }
  for (const { tool, at } of inlineTools(value['messages'])) wishTool(tool, at, wishes)
}

function wishTool(tool: JsonObject, at: string, wishes: FeatureWishes): void {
  const feature = featureOfTool(stringAt(tool, 'type') ?? 'custom')
  // A toolset belongs to a server that is counted already.
  if (feature === 'mcp' || feature === undefined) return
  wishes.add(feature, at, callsOf(feature, tool))
}

function callsOf(feature: FeatureName, tool: JsonObject): CallWish {
  return feature === 'codeExecution' ? oneContainer : { limit: countAt(tool, 'max_uses') }
}
