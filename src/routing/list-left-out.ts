import type { Route } from '../catalog/catalog-snapshot.ts'
import { priceAt } from '../catalog/catalog-snapshot.ts'
import type { LeftOutCode } from '../core/codes.ts'
import { plural } from '../core/text/plural.ts'
import { isPinnedElsewhere } from './is-pinned-elsewhere.ts'
import { isGranted } from './plan.ts'
import type { Plan, PlanParams } from './plan-params.ts'
import { type Candidate, configuredRefusal, routeSetOf } from './route-set.ts'

/** Why a candidate is left out. */
interface Objection {
  readonly code: LeftOutCode
  /** When the reason ends or has ended. */
  readonly until?: string
  /** The reason as text. */
  readonly why: string
}

/** A candidate that is not tried, and why. Without an upstream, it is a whole group. */
export interface LeftOut extends Objection {
  readonly group: string
  readonly upstream?: string
  readonly credential?: string | undefined
}

/** Lists everything that a plan leaves out, for display. Answering a request does not need this list. */
export function listLeftOut(params: PlanParams, plan: Plan | undefined): LeftOut[] {
  return params.groups.flatMap((group) => leftOutOf(group, params, plan))
}

function leftOutOf(id: string, params: PlanParams, plan: Plan | undefined): LeftOut[] {
  const { catalog, health, nowMs } = params
  const group = catalog.groups.get(id)
  if (!group) return [{ group: id, code: 'group_gone', why: 'the group no longer exists' }]
  if (!isGranted(group, params)) return [{ group: id, ...whyNotGranted(group.grants, params) }]
  const routes = catalog.routes.get(id)?.get(params.model) ?? []
  const model = catalog.models.get(params.model)
  if (routes.length === 0 || !model)
    return [{ group: id, code: 'no_route', why: 'it has no route for this model' }]
  const price = priceAt(model, nowMs)
  if (!price) return [{ group: id, code: 'not_priced', why: 'not priced' }]
  const { options } = routeSetOf(routes, group, model, price, health)
  const unhealthy = options
    .flatMap(({ candidates }) => candidates)
    .filter((candidate) => !plan?.candidates.includes(candidate))
    .map((candidate) => ({
      group: id,
      upstream: candidate.route.upstream.id,
      credential: candidate.credential?.hint,
      ...whyNot(candidate, params),
    }))
  return [...routes.flatMap(refusalsOf), ...unhealthy]
}

function refusalsOf(route: Route): LeftOut[] {
  const why = configuredRefusal(route)
  if (why === undefined) return []
  const code = route.upstream.isEnabled ? 'moved' : 'disabled'
  return [{ group: route.groupId, upstream: route.upstream.id, code, why }]
}

function whyNotGranted(
  grants: ReadonlyMap<string, number | undefined> | undefined,
  { accountId }: PlanParams,
): Objection {
  const endedMs = grants?.get(accountId)
  if (endedMs === undefined)
    return { code: 'group_not_granted', why: 'group not granted to this account' }
  const until = new Date(endedMs).toISOString()
  return { code: 'grant_ended', until, why: `grant of the group ended at ${until}` }
}

function whyNot(candidate: Candidate, params: PlanParams): Objection {
  const { route, state } = candidate
  const { monotonicMs, pin, accountId } = params
  const { target, cooldown, credential, load } = state
  const { id } = route.upstream
  const { concurrencyMax } = load
  const ending = (code: Objection['code'], text: string, ms: number): Objection => {
    const until = timeOf(ms, params)
    return { code, until, why: `${text} ${until}` }
  }
  if (pin && id !== pin.upstreamId) {
    const why = `only the upstream ${pin.upstreamId} has the earlier response`
    return { code: 'other_upstream_pinned', why }
  }
  if (isPinnedElsewhere(candidate, params))
    return { code: 'other_credential_pinned', why: 'another credential has the earlier response' }
  if (concurrencyMax !== undefined && load.inFlight >= concurrencyMax)
    return {
      code: 'full',
      why: `full: ${load.inFlight} of ${plural(concurrencyMax, 'request')} at once`,
    }
  const rejectedUntilMs = credential.rejectedUntilFor(accountId)
  if (rejectedUntilMs > 0)
    return ending('credential_dead', 'credential dead: refused, next try', rejectedUntilMs)
  if (credential.usedUpUntilMs > monotonicMs)
    return ending(
      'credential_limited',
      'the credential is at its rate limit until',
      credential.usedUpUntilMs,
    )
  const openUntilMs = target.openUntilFor(accountId)
  if (openUntilMs > monotonicMs) return ending('breaker_open', 'breaker open until', openUntilMs)
  if (openUntilMs > 0)
    return { code: 'breaker_half_open', why: 'breaker half open: another request is trying it' }
  const rateLimitedUntilMs = cooldown.untilFor(accountId)
  if (rateLimitedUntilMs > monotonicMs)
    return ending('rate_limited', 'rate limited until', rateLimitedUntilMs)
  return { code: 'not_needed', why: 'not needed' }
}

/** Converts a time of the monotonic clock into a date. */
function timeOf(ms: number, { nowMs, monotonicMs }: PlanParams): string {
  return new Date(nowMs + ms - monotonicMs).toISOString()
}
