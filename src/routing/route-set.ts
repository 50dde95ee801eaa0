import type { Credential, Group, Model, Route } from '../catalog/catalog-snapshot.ts'
import type { Price } from '../core/price.ts'
import type { ChoiceReason } from '../core/try-note.ts'
import type { HealthBook } from './health-book.ts'
import type { Slot } from './slot.ts'

/** One upstream, with one of its credentials, that could answer, and what it would cost there. */
export interface Candidate {
  readonly route: Route
  readonly group: Group
  readonly model: Model
  readonly price: Price
  /** Undefined for an upstream that asks for none. */
  readonly credential: Credential | undefined
  /** What is known of its health, and where an attempt reports to. */
  readonly slot: Slot
}

/** One route with all credentials of its upstream. */
export interface Lane {
  readonly route: Route
  /** One for each credential, and one for an upstream that has none. */
  readonly candidates: readonly Candidate[]
}

interface OnlyPlan {
  readonly candidates: readonly [Candidate]
  readonly reasons: readonly [ChoiceReason]
}

/** The routes of one model in one group, looked up and sorted once for as long as the catalogue stays as it is. */
export interface RouteSet {
  readonly group: Group
  readonly model: Model
  readonly price: Price
  readonly edition: number
  /** By priority, the first to be tried first. */
  readonly tiers: readonly (readonly Lane[])[]
  readonly lanes: readonly Lane[]
  /** Where there is nothing to choose, by far the most frequent case, the plan is always the same. */
  readonly only: OnlyPlan | undefined
}

/** Why a route is never tried, whatever its health; undefined for one that is. */
export function standingRefusal({ upstream }: Route): string | undefined {
  if (!upstream.isEnabled) return 'disabled'
  if (upstream.needsCredential)
    return 'moved to another host or proxy, and its credential was not entered again'
  return undefined
}

/** Route sets by the list of routes that they are made of, which is another one when the catalogue changes. */
const known = new WeakMap<HealthBook, WeakMap<readonly Route[], RouteSet>>()

export function routeSetOf(
  routes: readonly Route[],
  group: Group,
  model: Model,
  price: Price,
  health: HealthBook,
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
  health: HealthBook,
): RouteSet {
  const lanes = routes
    .filter((route) => standingRefusal(route) === undefined)
    .map((route): Lane => {
      const { credentials } = route.upstream
      const shown = credentials.length === 0 ? [undefined] : credentials
      const candidates = shown.map((credential) => {
        const slot = health.slotOf(route, credential)
        return { route, group, model, price, credential, slot }
      })
      return { route, candidates }
    })
    .sort((left, right) => left.route.priority - right.route.priority)
  const tiers = [...Map.groupBy(lanes, ({ route }) => route.priority).values()]
  return {
    group,
    model,
    price,
    edition: health.edition,
    tiers,
    lanes,
    only: onlyPlanOf(lanes),
  }
}

function onlyPlanOf(lanes: readonly Lane[]): OnlyPlan | undefined {
  const [lane, ...otherLanes] = lanes
  const [candidate, ...otherCandidates] = lane?.candidates ?? []
  if (!candidate || otherLanes.length > 0 || otherCandidates.length > 0) return undefined
  return { candidates: [candidate], reasons: ['only'] }
}
