import {
  callsByDefault,
  type FeatureName,
  type FeatureRequest,
  unitOf,
} from '../../core/money/feature.ts'
import type { CallLimits } from '../../core/neutral/call-limits.ts'
import type { ProtocolName } from '../../core/neutral/protocol-name.ts'
import { protocols } from '../../protocols/index.ts'
import type { RequestFacts } from '../../protocols/request-facts.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { Exchange } from '../exchange.ts'
import { addressOf } from '../forward/route-address.ts'
import { isCarried } from './carried-features.ts'

/** The features that an upstream can charge for, and the limits sent to the upstream that make this a bound. */
export interface FeatureBound {
  /** Undefined for a request without features. */
  readonly requested: readonly FeatureRequest[] | undefined
  readonly limits: CallLimits | undefined
}

export interface FeatureBoundParams {
  readonly client: ProtocolName
  readonly facts: Pick<RequestFacts, 'features' | 'callsTogether' | 'isStream' | 'isCompaction'>
  /** Set when money was short: the limit for calls if the client has set none. */
  readonly callsMax?: number | undefined
}

const nothing: FeatureBound = { requested: undefined, limits: undefined }

/** If the upstream's protocol has no field for a limit, the bound is the fixed number of calls and no limit is sent. */
export function boundFeatures(params: FeatureBoundParams, candidate: Candidate): FeatureBound {
  const { client, facts } = params
  const { features } = facts
  if (features === undefined) return nothing
  const { route, credential, price } = candidate
  const upstream = addressOf(route, credential, client, facts.isStream).protocol
  const requested = features.filter(({ feature }) => isCarried(feature, client, upstream))
  const isBilled = requested.some(
    ({ feature }) => unitOf(feature) === 'call' && (price.features?.[feature] ?? 0n) > 0n,
  )
  if (!isBilled || facts.isCompaction === true) return { requested, limits: undefined }
  const { callLimit } = protocols[upstream].upstreamSide
  switch (callLimit?.kind) {
    case 'together':
      return { requested, limits: { together: callsTogether(params, requested) } }
    case 'each':
      return limitEach(params, requested, callLimit.features)
    case undefined:
      if (client === upstream) return { requested, limits: undefined }
      return { requested: requested.map(withoutLimit), limits: undefined }
  }
}

/** The call limits sent to this candidate's upstream. The hold is sized by the same rule. */
export function callLimitsAt(
  { protocol, facts, callsMax }: Pick<Exchange, 'protocol' | 'facts' | 'callsMax'>,
  candidate: Candidate,
): CallLimits | undefined {
  return boundFeatures({ client: protocol.name, facts, callsMax }, candidate).limits
}

/** One limit for all tools: the highest of their limits. */
function callsTogether(
  { facts, callsMax }: FeatureBoundParams,
  requested: readonly FeatureRequest[],
): number {
  if (facts.callsTogether !== undefined) return facts.callsTogether
  let most = 0
  for (const { feature, limited = 0, unlimited = 0 } of requested) {
    if (unitOf(feature) !== 'call') continue
    most = Math.max(most, limited + unlimited * perTool(feature, callsMax))
  }
  return most
}

function limitEach(
  { facts, callsMax }: FeatureBoundParams,
  requested: readonly FeatureRequest[],
  limitable: readonly FeatureName[],
): FeatureBound {
  const each: Partial<Record<FeatureName, number>> = {}
  const bounded = requested.map((request) => {
    const { feature, limited = 0, unlimited = 0 } = request
    if (!limitable.includes(feature)) return request
    each[feature] = facts.callsTogether ?? perTool(feature, callsMax)
    return { ...request, most: limited + unlimited * perTool(feature, callsMax) }
  })
  return { requested: bounded, limits: { each } }
}

function perTool(feature: FeatureName, callsMax: number = Number.POSITIVE_INFINITY): number {
  return Math.min(callsByDefault[feature] ?? 1, callsMax)
}

/** The upstream's protocol cannot carry the client's own limit. */
function withoutLimit(request: FeatureRequest): FeatureRequest {
  const most = Math.max(request.most, callsByDefault[request.feature] ?? 1)
  return { ...request, most }
}

/** The highest call limit that the gateway itself sets. */
export const callsPerToolMax = Math.max(...Object.values(callsByDefault))
