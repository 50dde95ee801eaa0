import { type Group, priceAt } from '../catalog/catalog-snapshot.ts'
import { Fault } from '../core/fault.ts'
import { addFull } from './add-full.ts'
import { addHealthy } from './add-healthy.ts'
import { addLastResorts } from './add-last-resorts.ts'
import { isPinnedElsewhere } from './is-pinned-elsewhere.ts'
import type { Draft, Plan, PlanParams } from './plan-params.ts'
import { type Candidate, hasLimits, type RouteSet, routeSetOf } from './route-set.ts'

/**
 * The candidates for a request, best first: groups in the key's order, those with a healthy route first; within a group
 * by priority, then by weight and load. A group's fallback models follow when no route of the requested model is
 * healthy, or when the limits of credentials may refuse all that are (`withoutSpares`). With a queue, healthy candidates that are full follow, because the request, or a retry, may wait for them.
 * Unhealthy candidates come only when nothing else is left.
 */
export function planCandidates(params: PlanParams): Plan {
  const { pin } = params
  const sets = findFirst(params)
  const only = sets.length === 1 && !pin ? sets[0]?.only : undefined
  if (only && !sets[0]?.group.fallbacks.has(params.model)) return only
  const draft: Draft = { candidates: [], reasons: [] }
  for (const set of sets) addHealthy(draft, set, params)
  if (!pin && draft.candidates.every(hasLimits))
    for (const set of findFallbacks(params)) addHealthy(draft, set, params)
  if (params.mayWait) addFull(draft, sets, params, 'healthy')
  if (draft.candidates.length === 0) addLastResorts(draft, sets, params)
  if (draft.candidates.length === 0 && params.mayWait) addFull(draft, sets, params, 'all')
  if (draft.candidates.length === 0 && isServed(sets, params)) throw noUpstream(sets)
  return draft
}

/**
 * The plan without spare fallback models: those behind the requested model. They take requests that the limits of the
 * credentials refuse, not requests that have failed. Fallback models that come before a full upstream of the requested
 * model are not spare.
 */
export function withoutSpares(plan: Plan, modelId: string): Plan {
  const own = requestedPart(plan, modelId)
  return areSpare(own, plan) ? own : plan
}

/** Whether the plan has fallback models, and they are spare. `own` is the part with the requested model. */
export function areSpare(own: Plan, plan: Plan): boolean {
  return own !== plan && own.candidates[0] === plan.candidates[0]
}

/** The part of a plan with the requested model; the plan itself if it has no other model, or only others. */
export function requestedPart(plan: Plan, modelId: string): Plan {
  const { candidates, reasons } = plan
  if (candidates.length < 2) return plan
  const isRequested = ({ model }: Candidate) => model.id === modelId
  if (candidates.every(isRequested) || !candidates.some(isRequested)) return plan
  return {
    candidates: candidates.filter(isRequested),
    reasons: reasons.filter((_, index) => candidates[index]?.model.id === modelId),
  }
}

/**
 * False when the pinned upstream or credential does not serve the model or no longer exists. The plan is then empty.
 */
function isServed(sets: readonly RouteSet[], params: PlanParams): boolean {
  if (!params.pin) return true
  return sets.some(({ options }) =>
    options.some(({ candidates }) =>
      candidates.some((candidate) => !isPinnedElsewhere(candidate, params)),
    ),
  )
}

/**
 * The routes of the requested model. A response that a fallback model has made is continued by that model, if the
 * requested model is not at the same upstream.
 */
function findFirst(params: PlanParams): readonly RouteSet[] {
  const own = findSets(params, params.model)
  if (isServed(own, params)) return own
  return findFallbacks(params).filter(({ model }) => model.id === params.pin?.model)
}

/** The routes of a model in each of the key's groups that the account may use. */
function findSets(params: PlanParams, modelId: string): readonly RouteSet[] {
  const { catalog, groups, nowMs, health } = params
  const model = catalog.models.get(modelId)
  const price = model && priceAt(model, nowMs)
  const sets: RouteSet[] = []
  let hasGroup = false
  let hasRoute = false
  for (const id of groups) {
    const group = catalog.groups.get(id)
    if (!group || !isGranted(group, params)) continue
    hasGroup = true
    const routes = catalog.routes.get(id)?.get(modelId)
    if (!routes || routes.length === 0) continue
    hasRoute = true
    if (price) sets.push(routeSetOf(routes, group, model, price, health))
  }
  if (!hasGroup) throw noGroup()
  if (!model || !hasRoute) throw modelNotFound(modelId)
  if (!price) throw notPriced(modelId)
  return sets
}

export function isGranted(
  { grants }: Group,
  { accountId, nowMs }: Pick<PlanParams, 'accountId' | 'nowMs'>,
): boolean {
  if (grants === undefined) return true
  if (!grants.has(accountId)) return false
  const untilMs = grants.get(accountId)
  return untilMs === undefined || nowMs < untilMs
}

/** All candidates that could serve the request, whatever their health and load, fallback models included. */
export function listCandidates(params: PlanParams): readonly Candidate[] {
  const fallbacks = params.pin ? [] : findFallbacks(params)
  return [...findFirst(params), ...fallbacks]
    .flatMap(({ options }) => options.flatMap(({ candidates }) => candidates))
    .filter((candidate) => !isPinnedElsewhere(candidate, params))
}

/** A fallback model answers only if the group names it, the key may call it, and it has a healthy route there. */
function findFallbacks(params: PlanParams): readonly RouteSet[] {
  const { catalog, groups, models, nowMs, health } = params
  const sets: RouteSet[] = []
  if (params.withoutFallbacks) return sets
  for (const id of groups) {
    const group = catalog.groups.get(id)
    if (!group || !isGranted(group, params)) continue
    for (const modelId of group.fallbacks.get(params.model) ?? []) {
      if (models && !models.has(modelId)) continue
      const model = catalog.models.get(modelId)
      const price = model && priceAt(model, nowMs)
      const routes = catalog.routes.get(id)?.get(modelId)
      if (!price || !routes) continue
      sets.push(routeSetOf(routes, group, model, price, health))
    }
  }
  return sets
}

function noUpstream(sets: readonly RouteSet[]): Fault {
  const isBusy = sets.some(({ options }) => options.length > 0)
  return new Fault(
    'no_upstream_available',
    isBusy
      ? 'All upstreams of this model have reached their limit of concurrent requests. Try again.'
      : 'No upstream can serve this model now. Try again later.',
    isBusy ? { retryAfterSeconds: 1 } : {},
  )
}

function noGroup(): Fault {
  return new Fault(
    'group_not_allowed',
    'This API key has no service group that it may use: they no longer exist or are no longer granted to its account. Choose another group in the console.',
  )
}

function notPriced(modelId: string): Fault {
  return new Fault(
    'model_not_priced',
    `The model "${modelId}" has no price yet, so it cannot be called. Ask the operator to set one.`,
    { param: 'model' },
  )
}

export function modelNotFound(model: string): Fault {
  return new Fault(
    'model_not_found',
    `There is no model "${model.slice(0, 200)}" in the service groups of this API key. GET /v1/models lists the exact ids.`,
    { param: 'model' },
  )
}
