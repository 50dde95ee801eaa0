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
  const groups = question.groups
    .map((id) => catalog.groups.get(id))
    .filter((group) => group !== undefined)
  if (groups.length === 0) {
    throw new Fault(
      'group_not_allowed',
      'None of the service groups of this API key exists any more. Choose another in the console.',
    )
  }
  const model = catalog.models.get(question.model)
  const routed = groups
    .map((group) => ({ group, routes: catalog.routes.get(group.id)?.get(question.model) ?? [] }))
    .filter(({ routes }) => routes.length > 0)
  if (!model || routed.length === 0) throw modelNotFound(question.model)
  const price = priceAt(model, question.nowMs)
  if (!price) {
    throw new Fault(
      'model_not_priced',
      `The model "${model.id}" has no price yet, so it cannot be called. Ask the operator to set one.`,
      {
        param: 'model',
      },
    )
  }
  return routed.flatMap(({ group, routes }) =>
    orderRoutes(routes, question.random).map((route) => ({ route, group, model, price })),
  )
}

export function modelNotFound(model: string): Fault {
  return new Fault(
    'model_not_found',
    `There is no model "${model.slice(0, 200)}" in the service groups of this API key. GET /v1/models lists the exact ids.`,
    { param: 'model' },
  )
}
