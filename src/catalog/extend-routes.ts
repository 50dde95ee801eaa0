import type { Writing } from '../store/write.ts'
import { type OwnRoute, rowsOfRoutes } from './route-store.ts'

/** Adds routes to an upstream. Existing routes stay unchanged. */
export async function extendRoutes(
  { tx, announce }: Writing,
  upstreamId: string,
  routes: readonly OwnRoute[],
): Promise<void> {
  if (routes.length === 0) return
  await tx
    .insertInto('route')
    .values(rowsOfRoutes(upstreamId, routes))
    .onConflict((conflict) => conflict.columns(['group_id', 'model_id', 'upstream_id']).doNothing())
    .execute()
  announce('catalog', upstreamId)
}
