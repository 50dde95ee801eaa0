import type { CallLimits } from '../../core/call-limits.ts'
import {
  callsByDefault,
  type FeatureName,
  type FeatureRequest,
  unitOf,
} from '../../core/feature.ts'
import type { ProtocolName } from '../../core/protocol-name.ts'
import { protocols } from '../../protocols/index.ts'
import type { RequestFacts } from '../../protocols/protocol.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { Exchange } from '../exchange.ts'
import { addressOf } from '../forward/route-address.ts'
import { isCarried } from './carried-features.ts'

/** What of a request's features an upstream can be charged for, and what it is told so that this is a bound. */
export interface FeatureBound {
  /** Undefined for a request that asks for none. */
  readonly requested: readonly FeatureRequest[] | undefined
  readonly limits: CallLimits | undefined
}

export interface FeatureQuestion {
  readonly client: ProtocolName
  readonly facts: Pick<RequestFacts, 'features' | 'callsTogether' | 'isStream' | 'isCompaction'>
  /** Money was short: no more calls than this where the caller has set no limit. */
  readonly callsMax?: number | undefined
}

const nothing: FeatureBound = { requested: undefined, limits: undefined }

/** Where the protocol of the upstream has no field for a limit, the bound is the named number of calls, and nobody is told. */
export function boundFeatures(question: FeatureQuestion, candidate: Candidate): FeatureBound {
  const { client, facts } = question
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
      return { requested, limits: { together: callsTogether(question, requested) } }
    case 'each':
      return limitEach(question, requested, callLimit.features)
    case undefined:
      if (client === upstream) return { requested, limits: undefined }
      return { requested: requested.map(withoutLimit), limits: undefined }
  }
}

/** What the upstream of this candidate is told, by the same rule that the money was set aside by. */
export function callLimitsAt(
  { protocol, facts, callsMax }: Pick<Exchange, 'protocol' | 'facts' | 'callsMax'>,
  candidate: Candidate,
): CallLimits | undefined {
  return boundFeatures({ client: protocol.name, facts, callsMax }, candidate).limits
}

/** One limit for all tools: as many calls as the one that may make the most. */
function callsTogether(
  { facts, callsMax }: FeatureQuestion,
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
  { facts, callsMax }: FeatureQuestion,
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

/** The upstream cannot be told the caller's own limit. */
function withoutLimit(request: FeatureRequest): FeatureRequest {
  const most = Math.max(request.most, callsByDefault[request.feature] ?? 1)
  return { ...request, most }
}

/** The most that a limit by the gateway can be. */
export const callsPerToolMax = Math.max(...Object.values(callsByDefault))
