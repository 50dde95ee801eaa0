import { mapInTurns } from '../core/runtime/turns.ts'
import { complete } from '../fields/definition.ts'
import type { Writing } from '../store/changes/write.ts'
import { insertAll } from '../store/rows/in-slices.ts'
import { rowOf } from '../store/rows/stored-fields.ts'
import type { PutResult } from './catalog-store.ts'
import { type GivenRoute, type RouteSettings, routeDefinition } from './definition/route.ts'
import { routeColumns } from './setting-columns.ts'

/** The number of routes compared and built in one turn of the event loop. */
const rowsATurn = 500

/** A route without its upstream, which the caller knows. */
export type OwnRoute = Omit<GivenRoute, 'upstream'>

/** Replaces the routes of one upstream: routes that are not listed are deleted. */
export async function putRoutes(
  { tx, announce }: Writing,
  upstreamId: string,
  routes: readonly OwnRoute[],
): Promise<PutResult> {
  const rows = await tx
    .selectFrom('route')
    .selectAll()
    .where('upstream_id', '=', upstreamId)
    .execute()
  const wanted = await mapInTurns(routes, rowsATurn, (route) => rowOfRoute(upstreamId, route))
  if ((await sortedText(rows)) === (await sortedText(wanted))) return 'same'
  if (rows.length > 0) await tx.deleteFrom('route').where('upstream_id', '=', upstreamId).execute()
  await insertAll(wanted, (some) => tx.insertInto('route').values(some).execute())
  announce('catalog', upstreamId)
  return rows.length > 0 ? 'changed' : 'created'
}

/** The routes to replace. */
export interface RouteSelection {
  readonly group?: string | undefined
  readonly model?: string | undefined
  readonly upstream?: string | undefined
}

/** Replaces all routes of a group, a model, an upstream or a combination of these. At least one is required. */
export async function replaceRoutes(
  { tx, announce }: Writing,
  { group, model, upstream }: RouteSelection,
  routes: readonly RouteSettings[],
): Promise<void> {
  const subject = upstream ?? [group, model].join('/')
  if (subject === '/') throw new Error('no group, model or upstream is named')
  let deletion = tx.deleteFrom('route')
  if (group !== undefined) deletion = deletion.where('group_id', '=', group)
  if (model !== undefined) deletion = deletion.where('model_id', '=', model)
  if (upstream !== undefined) deletion = deletion.where('upstream_id', '=', upstream)
  await deletion.execute()
  const rows = routes.map((route) => rowOf(routeColumns, route))
  await insertAll(rows, (some) => tx.insertInto('route').values(some).execute())
  announce('catalog', subject)
}

export function rowsOfRoutes(upstream: string, routes: readonly OwnRoute[]) {
  return routes.map((route) => rowOfRoute(upstream, route))
}

function rowOfRoute(upstream: string, route: OwnRoute) {
  return rowOf(routeColumns, complete(routeDefinition, { ...route, upstream }))
}

async function sortedText(rows: readonly object[]): Promise<string> {
  const texts = await mapInTurns(rows, rowsATurn, (row) =>
    JSON.stringify(Object.entries(row).sort(([left], [right]) => (left < right ? -1 : 1))),
  )
  return texts.sort().join('\n')
}
