import type { ParameterPolicy } from '../core/parameter-policy.ts'
import type { Writing } from '../store/write.ts'
import type { PutResult } from './catalog-store.ts'

export interface RouteSettings {
  readonly groupId: string
  readonly modelId: string
  readonly upstreamModel: string
  readonly priority: number
  readonly weight: number
  /** What is changed in its requests, over what the upstream changes in all. */
  readonly parameters?: ParameterPolicy | undefined
}

/** Makes the routes of one upstream exactly these: what is not listed any more is gone. */
export async function putRoutes(
  { tx, announce }: Writing,
  upstreamId: string,
  routes: readonly RouteSettings[],
): Promise<PutResult> {
  const rows = await tx
    .selectFrom('route')
    .selectAll()
    .where('upstream_id', '=', upstreamId)
    .execute()
  const wanted = routes.map((route) => routeColumns({ ...route, upstreamId }))
  if (sortedText(rows) === sortedText(wanted)) return 'same'
  if (rows.length > 0) await tx.deleteFrom('route').where('upstream_id', '=', upstreamId).execute()
  if (wanted.length > 0) await tx.insertInto('route').values(wanted).execute()
  announce('catalog', upstreamId)
  return rows.length > 0 ? 'changed' : 'created'
}

export interface RoutePlaces {
  readonly groupId?: string | undefined
  readonly modelId?: string | undefined
  readonly upstreamId?: string | undefined
}

/** Makes the routes in these places exactly the ones given, whatever was there. At least one place is named. */
export async function replaceRoutes(
  { tx, announce }: Writing,
  { groupId, modelId, upstreamId }: RoutePlaces,
  routes: readonly (RouteSettings & { readonly upstreamId: string })[],
): Promise<void> {
  const subject = upstreamId ?? [groupId, modelId].join('/')
  if (subject === '/') throw new Error('the places of routes are not named')
  let deletion = tx.deleteFrom('route')
  if (groupId !== undefined) deletion = deletion.where('group_id', '=', groupId)
  if (modelId !== undefined) deletion = deletion.where('model_id', '=', modelId)
  if (upstreamId !== undefined) deletion = deletion.where('upstream_id', '=', upstreamId)
  await deletion.execute()
  if (routes.length > 0) await tx.insertInto('route').values(routes.map(routeColumns)).execute()
  announce('catalog', subject)
}

function routeColumns(route: RouteSettings & { readonly upstreamId: string }) {
  return {
    group_id: route.groupId,
    model_id: route.modelId,
    upstream_id: route.upstreamId,
    upstream_model: route.upstreamModel,
    priority: route.priority,
    weight: route.weight,
    parameters: route.parameters === undefined ? null : JSON.stringify(route.parameters),
  }
}

function sortedText(rows: readonly object[]): string {
  return rows
    .map((row) =>
      JSON.stringify(Object.entries(row).sort(([left], [right]) => (left < right ? -1 : 1))),
    )
    .sort()
    .join('\n')
}
