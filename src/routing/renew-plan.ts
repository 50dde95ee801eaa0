import { isGranted } from './plan.ts'
import type { Plan, PlanParams } from './plan-params.ts'
import { type Candidate, configuredRefusal } from './route-set.ts'

type RenewParams = Pick<
  PlanParams,
  'catalog' | 'health' | 'accountId' | 'groups' | 'models' | 'nowMs'
>

/**
 * The part of a plan that is left after a wait: without the candidates that the key may no longer use or that the
 * catalogue no longer has. A credential is used with its present value and limits. Prices stay those of the admission,
 * on which the hold is based.
 */
export function renewPlan({ candidates, reasons }: Plan, params: RenewParams): Plan {
  const renewed = candidates.map((candidate) => renew(candidate, params))
  return {
    candidates: renewed.filter((candidate) => candidate !== undefined),
    reasons: reasons.filter((_, index) => renewed[index] !== undefined),
  }
}

function renew(candidate: Candidate, params: RenewParams): Candidate | undefined {
  const { route, model, credential } = candidate
  const { catalog, groups, models, health } = params
  const group = catalog.groups.get(candidate.group.id)
  if (!group || !groups.includes(group.id) || !isGranted(group, params)) return undefined
  if (models && !models.has(model.id)) return undefined
  const routes = catalog.routes.get(group.id)?.get(model.id) ?? []
  const present = routes.find((each) => isSamePlace(each, route))
  if (!present || configuredRefusal(present) !== undefined) return undefined
  const { credentials } = present.upstream
  if (!credential) return credentials.length === 0 ? candidate : undefined
  const entered = credentials.find(({ name }) => name === credential.name)
  if (!entered || entered === credential) return entered && candidate
  return { ...candidate, credential: entered, state: health.stateOf(route, entered) }
}

function isSamePlace(one: Candidate['route'], other: Candidate['route']): boolean {
  return (
    one.upstreamModel === other.upstreamModel &&
    one.upstream.id === other.upstream.id &&
    one.upstream.vendor === other.upstream.vendor &&
    one.upstream.protocol === other.upstream.protocol &&
    one.upstream.baseUrl === other.upstream.baseUrl
  )
}
