import { callsByDefault, type FeatureName, type FeatureRequest } from '../../core/money/feature.ts'
import type { JsonObject } from '../../wire/json.ts'
import { type SharedObject, surveyBody } from '../fit/shared-objects.ts'

/** The facts about a request that go beyond plain tokens. Both are undefined for most requests. */
export interface ExtraFacts {
  readonly features?: readonly FeatureRequest[] | undefined
  /** The objects in the upstream's account that the request names. */
  readonly sharedObjects?: readonly SharedObject[] | undefined
  /** The client's limit on the calls of all tools together. */
  readonly callsTogether?: number | undefined
}

/** The known limits on the calls that one tool may make. */
export interface CallRequest {
  /** The client's own limit. */
  readonly limit?: number | undefined
  /** The most calls that a reply can be charged for, if known. */
  readonly counted?: number | undefined
}

/** Collects the features that a body requests, each once. */
export class FeatureRequests {
  /** Created with the first feature, because most requests have none. */
  #requests: Map<FeatureName, FeatureRequest> | undefined

  /** The client's limit on the calls of all tools together. */
  together: number | undefined

  add(feature: FeatureName, param: string, { limit, counted }: CallRequest = {}): void {
    this.#requests ??= new Map()
    const known = this.#requests.get(feature)
    const calls = limit ?? counted ?? callsByDefault[feature] ?? 1
    this.#requests.set(feature, {
      feature,
      most: (known?.most ?? 0) + calls,
      limited: (known?.limited ?? 0) + (limit ?? 0),
      unlimited: (known?.unlimited ?? 0) + (limit === undefined ? 1 : 0),
      param: known?.param ?? param,
    })
  }

  list(): readonly FeatureRequest[] | undefined {
    return this.#requests && [...this.#requests.values()]
  }
}

const noExtras: ExtraFacts = {}

/** `addFeatures` adds the features that the protocol's own fields request. All protocols share the other fields. */
export function decodeExtraFacts(
  value: JsonObject,
  addFeatures: (value: JsonObject, requested: FeatureRequests) => void,
): ExtraFacts {
  const requested = new FeatureRequests()
  const { objects, audioParam } = surveyBody(value)
  if (audioParam !== undefined) requested.add('audioInput', audioParam)
  addFeatures(value, requested)
  const features = requested.list()
  if (features === undefined && objects.length === 0) return noExtras
  const sharedObjects = objects.length === 0 ? undefined : objects
  return { features, sharedObjects, callsTogether: requested.together }
}

/** Tools that the client runs, or that cost only their tokens. */
const plainTools = new Set([
  'additional_tools',
  'apply_patch',
  'bash',
  'computer',
  'computer_use',
  'computer_use_preview',
  'custom',
  'function',
  'local_shell',
  'memory',
  'namespace',
  'shell',
  'str_replace_based_edit_tool',
  'text_editor',
  'tool_search',
  'tool_search_tool_bm25',
  'tool_search_tool_regex',
])

const hostedTools: readonly (readonly [RegExp, FeatureName])[] = [
  [/web_?search|google_?search|x_search|^\$?search$/i, 'webSearch'],
  [/web_?fetch|url_?context|^fetch/i, 'webFetch'],
  [/maps/i, 'mapsSearch'],
  [/file_?search|collections_?search/i, 'fileSearch'],
  [/code_?(?:interpreter|execution)/i, 'codeExecution'],
  [/image_?generation/i, 'imageGeneration'],
  [/^mcp/i, 'mcp'],
]

/** The feature of a tool type; undefined for a tool that the upstream does not run. */
export function featureOfTool(type: string): FeatureName | undefined {
  const name = type.replace(/_(?:20\d{6}|preview.*|beta)$/, '')
  if (plainTools.has(name) || plainTools.has(type)) return undefined
  for (const [pattern, feature] of hostedTools) if (pattern.test(name)) return feature
  return 'otherTool'
}

/** Service tiers at the standard price. */
const plainTiers = new Set(['auto', 'default', 'standard', 'standard_only', 'unspecified'])

/** The feature of a service tier. */
export function featureOfTier(tier: string | undefined): FeatureName | undefined {
  if (tier === undefined || tier === '') return undefined
  const name = tier.toLowerCase().replace(/^service_tier_/, '')
  if (plainTiers.has(name)) return undefined
  if (name === 'priority') return 'priorityTier'
  if (name === 'flex') return 'flexTier'
  return name === 'fast' ? 'fastMode' : 'otherTier'
}

/** The features of the service tiers. A request gets at most one of them. */
export const tierFeatures: readonly FeatureName[] = [
  'priorityTier',
  'flexTier',
  'fastMode',
  'otherTier',
]
