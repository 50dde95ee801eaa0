import {
  type CatalogSnapshot,
  type Group,
  type Model,
  priceAt,
  type Route,
} from '../catalog/catalog-snapshot.ts'
import { Fault } from '../core/fault.ts'
import type { Price } from '../core/price.ts'
import { orderRoutes } from './order-routes.ts'

/** One upstream that could answer, and what it would cost there. */
export interface Candidate {
  readonly route: Route
  readonly group: Group
  readonly model: Model
  readonly price: Price
}

export interface PlanQuestion {
  readonly catalog: CatalogSnapshot
  /** The key's groups, in its order. */
  readonly groups: readonly string[]
  readonly model: string
  readonly nowMs: number
  /** A number in [0, 1). */
  readonly random: () => number
}

/** Who could answer, best first: the groups in the key's order, inside a group by priority, inside that by weight. */
export function planCandidates(question: PlanQuestion): Candidate[] {
  const { catalog } = question
  const model = catalog.models.get(question.model)
  const price = model && priceAt(model, question.nowMs)
  const candidates: Candidate[] = []
  let hasGroup = false
  let hasRoute = false
  for (const id of question.groups) {
    const group = catalog.groups.get(id)
    if (!group) continue
    hasGroup = true
    const routes = catalog.routes.get(id)?.get(question.model)
    if (!routes || routes.length === 0) continue
    hasRoute = true
    if (!price) break
    for (const route of orderRoutes(routes, question.random)) {
      candidates.push({ route, group, model, price })
    }
  }
  if (!hasGroup) throw noGroup()
  if (!model || !hasRoute) throw modelNotFound(question.model)
  if (!price) throw notPriced(model)
  return candidates
}

function noGroup(): Fault {
  return new Fault(
    'group_not_allowed',
    'None of the service groups of this API key exists any more. Choose another in the console.',
  )
}

function notPriced(model: Model): Fault {
  return new Fault(
    'model_not_priced',
    `The model "${model.id}" has no price yet, so it cannot be called. Ask the operator to set one.`,
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
