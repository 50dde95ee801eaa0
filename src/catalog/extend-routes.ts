import type { Writing } from '../store/changes/write.ts'
import { insertAll } from '../store/rows/in-slices.ts'
import { type OwnRoute, rowsOfRoutes } from './route-store.ts'

/** Adds routes to an upstream. Existing routes stay unchanged. */
export async function extendRoutes(
  { tx, announce }: Writing,
  upstreamId: string,
  routes: readonly OwnRoute[],
): Promise<void> {
  if (routes.length === 0) return
  await insertAll(rowsOfRoutes(upstreamId, routes), (some) =>
    tx
      .insertInto('route')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['group_id', 'model_id', 'upstream_id']).doNothing(),
      )
      .execute(),
  )
  announce('catalog', upstreamId)
}
