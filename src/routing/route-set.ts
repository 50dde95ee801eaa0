import type { Credential, Group, Model, Route } from '../catalog/catalog-snapshot.ts'
import type { Price } from '../core/money/price.ts'
import type { ChoiceReason } from '../core/upstreams/attempt-note.ts'
import type { HealthRegistry } from './health-registry.ts'
import type { TargetState } from './target-state.ts'

/** One route with one of its upstream's credentials, with its price. */
export interface Candidate {
  readonly route: Route
  readonly group: Group
  readonly model: Model
  readonly price: Price
  /** Undefined for an upstream without credentials. */
  readonly credential: Credential | undefined
  /** The health state, which attempts report to. */
  readonly state: TargetState
}

/** One route with all credentials of its upstream. */
export interface RouteCandidates {
  readonly route: Route
  /** One for each credential, or a single one for an upstream without credentials. */
  readonly candidates: readonly Candidate[]
}

interface OnlyPlan {
  readonly candidates: readonly [Candidate]
  readonly reasons: readonly [ChoiceReason]
}

/** The routes of one model in one group, looked up and sorted once until the catalogue changes. */
export interface RouteSet {
  readonly group: Group
  readonly model: Model
  readonly price: Price
  readonly edition: number
  /** By priority, in the order of attempts. */
  readonly tiers: readonly (readonly RouteCandidates[])[]
  readonly options: readonly RouteCandidates[]
  /** Without a choice, by far the most frequent case, the plan is always the same. */
  readonly only: OnlyPlan | undefined
}

export function hasLimits({ credential }: Candidate): boolean {
  return credential?.limits !== undefined
}

/** Why a route is never tried, regardless of its health; undefined for a route that is. */
export function configuredRefusal({ upstream }: Route): string | undefined {
  if (!upstream.isEnabled) return 'disabled'
  if (upstream.needsCredential)
    return 'moved to another host or proxy, and its credential was not entered again'
  return undefined
}

/** Route sets by their list of routes. A change of the catalogue creates a new list. */
const known = new WeakMap<HealthRegistry, WeakMap<readonly Route[], RouteSet>>()

export function routeSetOf(
  routes: readonly Route[],
  group: Group,
  model: Model,
  price: Price,
  health: HealthRegistry,
): RouteSet {
  let sets = known.get(health)
  if (!sets) {
    sets = new WeakMap()
    known.set(health, sets)
  }
  const found = sets.get(routes)
  if (found && found.price === price && found.edition === health.edition) return found
  const made = makeRouteSet(routes, group, model, price, health)
  sets.set(routes, made)
  return made
}

function makeRouteSet(
  routes: readonly Route[],
  group: Group,
  model: Model,
  price: Price,
  health: HealthRegistry,
): RouteSet {
  const options = routes
    .filter((route) => configuredRefusal(route) === undefined)
    .map((route): RouteCandidates => {
      const { credentials } = route.upstream
      const shown = credentials.length === 0 ? [undefined] : credentials
      const candidates = shown.map((credential) => {
        const state = health.stateOf(route, credential)
        return { route, group, model, price, credential, state }
      })
      return { route, candidates }
    })
    .sort((left, right) => left.route.priority - right.route.priority)
  const tiers = [...Map.groupBy(options, ({ route }) => route.priority).values()]
  return {
    group,
    model,
    price,
    edition: health.edition,
    tiers,
    options,
    only: onlyPlanOf(options),
  }
}

function onlyPlanOf(options: readonly RouteCandidates[]): OnlyPlan | undefined {
  const [option, ...others] = options
  const [candidate, ...otherCandidates] = option?.candidates ?? []
  if (!candidate || others.length > 0 || otherCandidates.length > 0) return undefined
  return { candidates: [candidate], reasons: ['only'] }
}
