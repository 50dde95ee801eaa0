import type { Route } from '../catalog/catalog-snapshot.ts'
import { priceAt } from '../catalog/catalog-snapshot.ts'
import { isGranted } from './plan.ts'
import type { Plan, PlanQuestion } from './plan-question.ts'
import { type Candidate, routeSetOf, standingRefusal } from './route-set.ts'

/** What could have been tried, and why it is not. A whole group when no upstream is named. */
export interface LeftOut {
  readonly group: string
  readonly upstream?: string
  readonly credential?: string | undefined
  readonly why: string
}

/** Everything that the plan leaves out, for people: this is not made for a request that is answered. */
export function listLeftOut(question: PlanQuestion, plan: Plan | undefined): LeftOut[] {
  return question.groups.flatMap((group) => leftOutOf(group, question, plan))
}

function leftOutOf(id: string, question: PlanQuestion, plan: Plan | undefined): LeftOut[] {
  const { catalog, health, nowMs } = question
  const group = catalog.groups.get(id)
  if (!group) return [{ group: id, why: 'the group does not exist any more' }]
  if (!isGranted(group, question))
    return [{ group: id, why: whyNotGranted(group.grants, question) }]
  const routes = catalog.routes.get(id)?.get(question.model) ?? []
  const model = catalog.models.get(question.model)
  if (routes.length === 0 || !model) return [{ group: id, why: 'it has no route of this model' }]
  const price = priceAt(model, nowMs)
  if (!price) return [{ group: id, why: 'not priced' }]
  const { lanes } = routeSetOf(routes, group, model, price, health)
  const ill = lanes
    .flatMap(({ candidates }) => candidates)
    .filter((candidate) => !plan?.candidates.includes(candidate))
    .map((candidate) => ({
      group: id,
      upstream: candidate.route.upstream.id,
      credential: candidate.credential?.hint,
      why: whyNot(candidate, question),
    }))
  return [...routes.flatMap(refusalsOf), ...ill]
}

function refusalsOf(route: Route): LeftOut[] {
  const why = standingRefusal(route)
  return why === undefined ? [] : [{ group: route.groupId, upstream: route.upstream.id, why }]
}

function whyNotGranted(
  grants: ReadonlyMap<string, number | undefined> | undefined,
  { accountId }: PlanQuestion,
): string {
  const endedMs = grants?.get(accountId)
  return endedMs === undefined
    ? 'group not granted to this account'
    : `grant of the group ended at ${new Date(endedMs).toISOString()}`
}

function whyNot({ route, slot }: Candidate, question: PlanQuestion): string {
  const { monotonicMs } = question
  const { target, rest, credential, load } = slot
  const { id, concurrencyMax } = route.upstream
  const until = (ms: number) => timeOf(ms, question)
  if (question.upstreamId !== undefined && id !== question.upstreamId)
    return `only the upstream ${question.upstreamId} has the earlier response`
  if (concurrencyMax !== undefined && load.inFlight >= concurrencyMax)
    return `full: ${load.inFlight} of ${concurrencyMax} requests at once`
  if (credential.deadUntilMs > 0)
    return `credential dead: refused, next try ${until(credential.deadUntilMs)}`
  if (target.openUntilMs > monotonicMs) return `breaker open until ${until(target.openUntilMs)}`
  if (target.openUntilMs > 0) return 'breaker half open: another request is trying it'
  if (rest.untilMs > monotonicMs) return `rate limited until ${until(rest.untilMs)}`
  return 'not needed'
}

/** A moment of the clock of health, on the calendar. */
function timeOf(ms: number, { nowMs, monotonicMs }: PlanQuestion): string {
  return new Date(nowMs + ms - monotonicMs).toISOString()
}
