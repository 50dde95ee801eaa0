import { sql } from 'kysely'
import { factorText } from '../../../fields/kinds.ts'
import type { Engine } from '../../../store/engine.ts'
import { likePattern } from '../../../store/rows/like-pattern.ts'
import type { ModelTable } from '../../../store/tables/tables.ts'
import { pageRows, writeCursor } from '../../contract/paging.ts'
import type { CatalogueAnswer, CatalogueModel } from '../../contract.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { pageOf } from '../../rows/pages.ts'
import { type CallableRoute, callableRoutes } from './callable-models.ts'
import { describeFacts } from './describe-facts.ts'
import { priceInForce } from './price-in-force.ts'
import { scaledPrice } from './scaled-price.ts'
import { type UsableGroup, usableGroups } from './usable-groups.ts'

/** The models that keys of these accounts may be allowed to call, with the price in each group. */
export async function readCatalogue(
  call: CallOf<'GET /models'>,
): Promise<JsonAnswer<CatalogueAnswer>> {
  const { deps, query, scope } = call
  const { engine, gateway } = deps
  const nowMs = deps.clock.nowMs()
  const rowsMax = query.limit ?? pageRows.catalogue
  const groups =
    scope.accountIds?.length === 0 ? [] : await usableGroups(engine.db, scope.accountIds, nowMs)
  const ids = groups.map((group) => group.id)
  const routes = await callableRoutes(engine.db, ids, gateway.hasDemo)
  const byModel = Map.groupBy(routes, (route) => route.modelId)
  const found = await findModels(engine, [...byModel.keys()], {
    after: query.after?.[0],
    search: query.search,
    rowsMax: rowsMax + 1,
  })
  const { rows, next } = pageOf(found, rowsMax, (model) => writeCursor(model.id))
  const prices = await priceInForce(
    engine.db,
    rows.map((model) => model.id),
    nowMs,
  )
  return {
    body: {
      models: rows.map((model) => {
        const own = byModel.get(model.id) ?? []
        const price = prices.get(model.id)
        return {
          ...describeModel(model),
          ...describeFacts(gateway, own),
          prices: pricesOf(own, groups, price),
        }
      }),
      next,
    },
  }
}

async function findModels(
  { db }: Engine,
  ids: readonly string[],
  page: {
    readonly after: string | undefined
    readonly search: string | undefined
    readonly rowsMax: number
  },
): Promise<ModelTable[]> {
  if (ids.length === 0) return []
  let query = db.selectFrom('model').selectAll().where('id', 'in', ids)
  if (page.after !== undefined) query = query.where('id', '>', page.after)
  if (page.search !== undefined) {
    const pattern = likePattern(page.search)
    query = query.where(
      sql<boolean>`(lower(id) LIKE ${pattern} ESCAPE '!' OR lower(display_name) LIKE ${pattern} ESCAPE '!')`,
    )
  }
  return query.orderBy('id').limit(page.rowsMax).execute()
}

function describeModel(
  model: ModelTable,
): Omit<CatalogueModel, 'capabilities' | 'endpoints' | 'prices'> {
  return {
    id: model.id,
    displayName: model.display_name,
    ownedBy: model.owned_by,
    contextTokens: model.context_tokens,
    maxOutputTokens: model.max_output_tokens,
  }
}

function pricesOf(
  routes: readonly CallableRoute[],
  groups: readonly UsableGroup[],
  price: Parameters<typeof scaledPrice>[0] | undefined,
): CatalogueModel['prices'] {
  return groups
    .filter((group) => routes.some((route) => route.groupId === group.id))
    .map((group) => ({
      group: group.id,
      factor: factorText(BigInt(group.factorMicro)),
      price: price ? scaledPrice(price, group.factorMicro) : null,
    }))
}
