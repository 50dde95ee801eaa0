import { Fault } from '../../core/fault.ts'
import type { FeatureName, FeatureRequest } from '../../core/money/feature.ts'
import type { ProtocolName } from '../../core/neutral/protocol-name.ts'
import type { SharedObject } from '../../protocols/fit/shared-objects.ts'
import type { ExtraFacts } from '../../protocols/measure/feature-requests.ts'
import type { RequestFacts } from '../../protocols/request-facts.ts'
import type { Plan } from '../../routing/plan-params.ts'
import type { Candidate } from '../../routing/route-set.ts'
import { addressOf } from '../forward/route-address.ts'
import type { Caller } from './authenticate.ts'
import { isCarried } from './carried-features.ts'
import type { SharedObjectMemory } from './shared-object-memory.ts'

/** The candidates that can serve everything that a request asks for beyond plain tokens. Throws when there is none. */
export function allowExtras(
  plan: Plan,
  client: ProtocolName,
  facts: ExtraFacts & Pick<RequestFacts, 'isStream'>,
  caller: Caller,
  memory: SharedObjectMemory,
): Plan {
  if (facts.features === undefined && facts.sharedObjects === undefined) return plan
  const allowed = allowObjects(plan, facts, caller, memory)
  const { features } = facts
  if (features === undefined || allowed.candidates.length === 0) return allowed
  let refused: Fault | undefined
  const priced = keep(allowed, (candidate) => {
    const unpriced = findUnpriced(candidate, client, facts.isStream, features)
    if (unpriced) refused ??= notPriced(candidate, unpriced)
    return unpriced === undefined
  })
  if (priced.candidates.length === 0 && refused) throw refused
  return priced
}

/** The same for a count, which may name objects but uses no features. */
export function allowObjects(
  plan: Plan,
  { sharedObjects }: ExtraFacts,
  { account }: Caller,
  memory: SharedObjectMemory,
): Plan {
  const foreign = sharedObjects?.find(({ id }) => !memory.has(account.id, id))
  if (!foreign || plan.candidates.length === 0) return plan
  const allowed = keep(plan, ({ group }) => group.allowsSharedObjects === true)
  if (allowed.candidates.length > 0) return allowed
  throw notAllowed(foreign)
}

function findUnpriced(
  { group, price, route, credential }: Candidate,
  client: ProtocolName,
  isStream: boolean,
  requested: readonly FeatureRequest[],
): FeatureRequest | undefined {
  if (group.allowsUnpriced === true) return undefined
  const unpriced = requested.find(({ feature }) => price.features?.[feature] === undefined)
  if (!unpriced) return undefined
  const upstream = addressOf(route, credential, client, isStream).protocol
  return requested.find(
    ({ feature }) =>
      price.features?.[feature] === undefined && isCarried(feature, client, upstream),
  )
}

function keep(plan: Plan, fits: (candidate: Candidate) => boolean): Plan {
  const kept = plan.candidates.map(fits)
  if (!kept.includes(false)) return plan
  return {
    candidates: plan.candidates.filter((_, index) => kept[index]),
    reasons: plan.reasons.filter((_, index) => kept[index]),
  }
}

function notPriced({ model }: Candidate, { feature, param }: FeatureRequest): Fault {
  return new Fault(
    'feature_not_priced',
    `The model "${model.id}" has no price for ${featureTexts[feature]}, so this request cannot be billed. Leave out "${param}", or ask the operator to set a price.`,
    {
      param,
      operatorMessage: `set "features.${feature}" in the price of ${model.id}, or "unpricedFeatures: token_price" for the group`,
    },
  )
}

function notAllowed({ param }: SharedObject): Fault {
  return new Fault(
    'shared_object_not_allowed',
    `The field "${param}" names an object in the upstream's account, which all users of this gateway share, and this account has not created it here. Send the content itself in the request, or ask the operator to allow shared objects for the group.`,
    { param },
  )
}

/** The names of features in messages. */
const featureTexts: Readonly<Record<FeatureName, string>> = {
  webSearch: 'web search',
  webFetch: 'fetching web pages',
  mapsSearch: 'grounding with maps',
  fileSearch: 'file search',
  codeExecution: 'code execution',
  imageGeneration: 'image generation',
  mcp: 'MCP tools',
  otherTool: 'this tool, which the upstream runs',
  priorityTier: 'the priority service tier',
  flexTier: 'the flex service tier',
  otherTier: 'this service tier',
  fastMode: 'fast mode',
  regionalInference: 'inference in one region',
  audioInput: 'audio input',
  audioOutput: 'audio output',
  imageOutput: 'image output',
}
