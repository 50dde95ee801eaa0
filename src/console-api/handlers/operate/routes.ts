import { sql } from 'kysely'
import type { RouteSettings } from '../../../catalog/definition/route.ts'
import { type RouteSelection, replaceRoutes } from '../../../catalog/route-store.ts'
import { routeColumns } from '../../../catalog/setting-columns.ts'
import type { Engine } from '../../../store/engine.ts'
import { knownIds } from '../../../store/rows/known-ids.ts'
import { valuesOf } from '../../../store/rows/stored-fields.ts'
import { type ChangeContext, change } from '../../changes/change.ts'
import { pageRows, writeCursor } from '../../contract/paging.ts'
import type { RouteRow, RoutesAnswer } from '../../contract.ts'
import { brokenRule, unfitField } from '../../refusal.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { pageOf } from '../../rows/pages.ts'
import { describePolicy } from './describe-upstream.ts'

/** Separates the parts of a position; ids do not contain it. */
const divider = '\n'

export async function readRoutes({
  deps,
  query,
}: CallOf<'GET /operate/routes'>): Promise<JsonAnswer<RoutesAnswer>> {
  const rowsMax = query.limit ?? pageRows.routes
  const found = await listRoutes(deps.engine.db, query, {
    after: query.after,
    rowsMax: rowsMax + 1,
  })
  const { rows, next } = pageOf(found, rowsMax, ({ group, model, priority, upstream }) =>
    writeCursor(group, model, priority, upstream),
  )
  return { body: { routes: rows, next } }
}

/** Replaces the routes of a group and a model, or those of an upstream. */
export async function putRouteRows(
  call: CallOf<'PUT /operate/routes'>,
): Promise<JsonAnswer<RoutesAnswer>> {
  const filter = call.query
  const isOfModel = filter.group !== undefined && filter.model !== undefined
  if (isOfModel === (filter.upstream !== undefined)) {
    throw brokenRule('upstream', 'place_needed')
  }
  const { routes } = await call.body()
  const foreign = routes.find(
    (route) =>
      (filter.upstream ?? route.upstream) !== route.upstream ||
      (filter.group ?? route.group) !== route.group ||
      (filter.model ?? route.model) !== route.model,
  )
  if (foreign) throw brokenRule('routes', 'routes_stray')
  const places = new Set(routes.map((route) => placeOf({ ...route, priority: 0 })))
  if (places.size < routes.length) throw brokenRule('routes', 'routes_twice')
  await change(call, async (changing) => {
    await checkReferences(changing, routes)
    await replace(changing, filter, routes)
  })
  return { body: { routes: await listRoutes(call.deps.engine.db, filter), next: null } }
}

async function replace(
  changing: ChangeContext,
  filter: RouteSelection,
  routes: readonly RouteSettings[],
): Promise<void> {
  const before = await listRoutes(changing.tx, filter)
  await replaceRoutes(changing, filter, routes)
  const subject = filter.upstream ?? `${filter.group}/${filter.model}`
  await changing.record({ action: 'routes.changed', subject, before, after: routes })
}

type RoutePlace = NonNullable<CallOf<'GET /operate/routes'>['query']['after']>

/** Sorted by group, model, priority and upstream; all routes without a limit. */
export async function listRoutes(
  db: Engine['db'],
  filter: RouteSelection,
  page?: { readonly after: RoutePlace | undefined; readonly rowsMax: number },
): Promise<RouteRow[]> {
  let query = db.selectFrom('route').selectAll()
  if (filter.group !== undefined) query = query.where('group_id', '=', filter.group)
  if (filter.model !== undefined) query = query.where('model_id', '=', filter.model)
  if (filter.upstream !== undefined) query = query.where('upstream_id', '=', filter.upstream)
  if (page?.after) {
    const [group, model, priority, upstream] = page.after
    query = query.where(
      sql<boolean>`(group_id, model_id, priority, upstream_id) > (${group}, ${model}, ${priority}, ${upstream})`,
    )
  }
  if (page) query = query.limit(page.rowsMax)
  const rows = await query
    .orderBy('group_id')
    .orderBy('model_id')
    .orderBy('priority')
    .orderBy('upstream_id')
    .execute()
  return rows.map((row) => {
    const route = valuesOf(routeColumns, row)
    return { ...route, parameters: describePolicy(route.parameters) }
  })
}

function placeOf(route: Pick<RouteRow, 'group' | 'model' | 'priority' | 'upstream'>): string {
  return [route.group, route.model, route.priority, route.upstream].join(divider)
}

async function checkReferences(
  { tx }: ChangeContext,
  routes: readonly RouteSettings[],
): Promise<void> {
  const kinds = [
    ['service_group', 'group_unknown', routes.map((route) => route.group)],
    ['model', 'model_unknown', routes.map((route) => route.model)],
    ['upstream', 'upstream_unknown', routes.map((route) => route.upstream)],
  ] as const
  for (const [table, problem, wanted] of kinds) {
    const known = await knownIds(tx, table, wanted)
    const unknown = wanted.find((id) => !known.has(id))
    if (unknown !== undefined) throw unfitField('routes', problem, { id: unknown })
  }
}
