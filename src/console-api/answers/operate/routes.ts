import { replaceRoutes } from '../../../catalog/route-store.ts'
import { readPolicy } from '../../../core/read-policy.ts'
import type { Engine } from '../../../store/engine.ts'
import { type JsonObject, parseJson } from '../../../wire/json.ts'
import { type ChangeTools, change } from '../../change.ts'
import type { RouteRow, RoutesAnswer } from '../../contract.ts'
import { ifSent, listField, numberField, orNull, textField } from '../../read-fields.ts'
import { wrongField } from '../../refusal.ts'
import type { CallOf, JsonAnswer } from '../../route.ts'
import { countProblem, idProblem } from '../../rules.ts'
import { describePolicy } from './describe-upstream.ts'
import { policyField } from './upstream-body.ts'

const pageRows = 500
const priorityMax = 1_000_000
/** Between the parts of a place in the list; no id has one. */
const divider = '\n'

interface RouteFilter {
  readonly group?: string | undefined
  readonly model?: string | undefined
  readonly upstream?: string | undefined
}

export async function readRoutes({
  parts,
  query,
}: CallOf<'GET /operate/routes'>): Promise<JsonAnswer<RoutesAnswer>> {
  const found = await listRoutes(parts.engine.db, query, query.after)
  const routes = found.slice(0, pageRows)
  const last = routes.at(-1)
  const next = found.length > pageRows && last ? placeOf(last) : null
  return { body: { routes, next } }
}

/** Makes the routes of a group and a model, or those of an upstream, exactly these. */
export async function putRouteRows(
  call: CallOf<'PUT /operate/routes'>,
): Promise<JsonAnswer<RoutesAnswer>> {
  const filter = call.query
  const isOfModel = filter.group !== undefined && filter.model !== undefined
  if (isOfModel === (filter.upstream !== undefined)) {
    throw wrongField('upstream', 'place_needed')
  }
  const routes = listField(readRoute)(await call.body(), 'routes')
  const stray = routes.find(
    (route) =>
      (filter.upstream ?? route.upstream) !== route.upstream ||
      (filter.group ?? route.group) !== route.group ||
      (filter.model ?? route.model) !== route.model,
  )
  if (stray) throw wrongField('routes', 'routes_stray')
  const places = new Set(routes.map((route) => placeOf({ ...route, priority: 0 })))
  if (places.size < routes.length) throw wrongField('routes', 'routes_twice')
  await change(call, async (changing) => {
    await checkReferences(changing, routes)
    await replace(changing, filter, routes)
  })
  return { body: { routes: await listRoutes(call.parts.engine.db, filter), next: null } }
}

async function replace(
  changing: ChangeTools,
  filter: RouteFilter,
  routes: readonly RouteRow[],
): Promise<void> {
  const before = await listRoutes(changing.tx, filter)
  const { group: groupId, model: modelId, upstream: upstreamId } = filter
  const places = { groupId, modelId, upstreamId }
  await replaceRoutes(
    changing,
    places,
    routes.map((route) => ({
      groupId: route.group,
      modelId: route.model,
      upstreamId: route.upstream,
      upstreamModel: route.upstreamModel,
      priority: route.priority,
      weight: route.weight,
      parameters: route.parameters ?? undefined,
    })),
  )
  const subject = upstreamId ?? `${groupId}/${modelId}`
  await changing.record({ action: 'routes.changed', subject, before, after: routes })
}

function readRoute(entry: JsonObject): RouteRow {
  const id = textField(idProblem)
  const priority = numberField()(entry, 'priority')
  if (priority < 0 || priority > priorityMax) {
    throw wrongField('priority', 'priority_wrong', { max: priorityMax })
  }
  const policy = ifSent(orNull(policyField))(entry, 'parameters')
  return {
    group: id(entry, 'group'),
    model: id(entry, 'model'),
    upstream: id(entry, 'upstream'),
    upstreamModel: textField(undefined, 200)(entry, 'upstreamModel'),
    priority,
    weight: numberField(countProblem)(entry, 'weight'),
    parameters: describePolicy(policy ?? undefined),
  }
}

/** In order of group, model, priority and upstream; one more than a page has. */
export async function listRoutes(
  db: Engine['db'],
  filter: RouteFilter,
  after?: string,
): Promise<RouteRow[]> {
  let query = db.selectFrom('route').selectAll()
  if (filter.group !== undefined) query = query.where('group_id', '=', filter.group)
  if (filter.model !== undefined) query = query.where('model_id', '=', filter.model)
  if (filter.upstream !== undefined) query = query.where('upstream_id', '=', filter.upstream)
  const rows = await query
    .orderBy('group_id')
    .orderBy('model_id')
    .orderBy('priority')
    .orderBy('upstream_id')
    .execute()
  const routes = rows.map((row) => ({
    group: row.group_id,
    model: row.model_id,
    upstream: row.upstream_id,
    upstreamModel: row.upstream_model,
    priority: row.priority,
    weight: row.weight,
    parameters: describePolicy(
      row.parameters === null ? undefined : readPolicy(parseJson(row.parameters)),
    ),
  }))
  if (after === undefined) return routes
  const start = routes.findIndex((route) => placeOf(route) === after)
  return start < 0 ? [] : routes.slice(start + 1)
}

function placeOf(route: Pick<RouteRow, 'group' | 'model' | 'priority' | 'upstream'>): string {
  return [route.group, route.model, route.priority, route.upstream].join(divider)
}

async function checkReferences({ tx }: ChangeTools, routes: readonly RouteRow[]): Promise<void> {
  const kinds = [
    ['service_group', 'group_unknown', routes.map((route) => route.group)],
    ['model', 'model_unknown', routes.map((route) => route.model)],
    ['upstream', 'upstream_unknown', routes.map((route) => route.upstream)],
  ] as const
  for (const [table, problem, wanted] of kinds) {
    const ids = [...new Set(wanted)]
    if (ids.length === 0) continue
    const rows = await tx.selectFrom(table).select('id').where('id', 'in', ids).execute()
    const known = new Set(rows.map((row) => row.id))
    const unknown = ids.find((id) => !known.has(id))
    if (unknown !== undefined) throw wrongField('routes', problem, { id: unknown })
  }
}
