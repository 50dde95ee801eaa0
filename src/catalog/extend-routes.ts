import type { Writing } from '../store/write.ts'
import type { RouteSettings } from './route-store.ts'

/** Adds routes to an upstream and leaves those it has as they are. */
export async function extendRoutes(
  { tx, announce }: Writing,
  upstreamId: string,
  routes: readonly RouteSettings[],
): Promise<void> {
  if (routes.length === 0) return
  await tx
    .insertInto('route')
    .values(
      routes.map((route) => ({
        group_id: route.groupId,
        model_id: route.modelId,
        upstream_id: upstreamId,
        upstream_model: route.upstreamModel,
        priority: route.priority,
        weight: route.weight,
      })),
    )
    .onConflict((conflict) => conflict.columns(['group_id', 'model_id', 'upstream_id']).doNothing())
    .execute()
  announce('catalog', upstreamId)
}
