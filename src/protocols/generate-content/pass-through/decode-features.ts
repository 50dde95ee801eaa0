import type { FeatureName } from '../../../core/money/feature.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { type FeatureRequests, featureOfTier } from '../../measure/feature-requests.ts'
import { fieldOf, listOrSingle, objectOf, textOf } from '../values/read-field.ts'

/** The members of a tool that make the vendor run something; undefined: the tool costs only tokens. */
const toolMembers: Readonly<Record<string, FeatureName | undefined>> = {
  functionDeclarations: undefined,
  computerUse: undefined,
  googleSearch: 'webSearch',
  googleSearchRetrieval: 'webSearch',
  enterpriseWebSearch: 'webSearch',
  googleMaps: 'mapsSearch',
  urlContext: 'webFetch',
  fileSearch: 'fileSearch',
  retrieval: 'fileSearch',
  codeExecution: 'codeExecution',
  mcpServers: 'mcp',
}

/** The most calls that a reply can be charged for: the reply shows whether a tool was used, not how often. */
const callsCounted: Readonly<Partial<Record<FeatureName, number>>> = {
  mapsSearch: 1,
  fileSearch: 1,
  codeExecution: 1,
  /** The vendor opens no more pages for one request. */
  webFetch: 20,
}

export function requestFeatures(value: JsonObject, requested: FeatureRequests): void {
  const tier = featureOfTier(textOf(value, 'serviceTier'))
  if (tier) requested.add(tier, 'serviceTier')
  const config = objectOf(value, 'generationConfig') ?? {}
  for (const modality of listOrSingle(fieldOf(config, 'responseModalities'))) {
    const name = typeof modality === 'string' ? modality.toUpperCase() : ''
    if (name === 'AUDIO') requested.add('audioOutput', 'generationConfig.responseModalities')
    if (name === 'IMAGE') requested.add('imageOutput', 'generationConfig.responseModalities')
  }
  for (const [index, tool] of listOrSingle(fieldOf(value, 'tools')).entries()) {
    if (isObject(tool)) addToolFeature(tool, `tools[${index}]`, requested)
  }
}

function addToolFeature(tool: JsonObject, path: string, requested: FeatureRequests): void {
  for (const name of Object.keys(tool)) {
    if ((tool[name] ?? undefined) === undefined) continue
    const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const feature = Object.hasOwn(toolMembers, camel) ? toolMembers[camel] : 'otherTool'
    if (feature) requested.add(feature, `${path}.${name}`, { counted: callsCounted[feature] })
  }
}
