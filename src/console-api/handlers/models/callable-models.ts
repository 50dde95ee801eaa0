import { storedDemoUrl } from '../../../core/upstreams/stored-demo-url.ts'
import type { Engine } from '../../../store/engine.ts'

export interface CallableRoute {
  readonly groupId: string
  readonly modelId: string
  readonly vendor: string
  readonly protocol: string
  readonly upstreamModel: string
  readonly baseUrl: string
}

/** Usable routes of these groups, sorted by model. */
export async function callableRoutes(
  db: Engine['db'],
  groupIds: readonly string[],
  hasDemo: boolean,
): Promise<CallableRoute[]> {
  if (groupIds.length === 0) return []
  let query = db
    .selectFrom('route as r')
    .innerJoin('upstream as u', 'u.id', 'r.upstream_id')
    .select([
      'r.group_id',
      'r.model_id',
      'r.upstream_model',
      'u.vendor',
      'u.protocol',
      'u.base_url',
    ])
    .where('r.group_id', 'in', groupIds)
    .where('u.enabled', '=', 1)
  if (!hasDemo) query = query.where('u.base_url', '<>', storedDemoUrl)
  const rows = await query.orderBy('r.model_id').orderBy('r.group_id').execute()
  return rows.map((row) => ({
    groupId: row.group_id,
    modelId: row.model_id,
    vendor: row.vendor,
    protocol: row.protocol,
    upstreamModel: row.upstream_model,
    baseUrl: row.base_url,
  }))
}

/** Model ids with the groups that offer them. */
export function groupsByModel(routes: readonly CallableRoute[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { modelId, groupId } of routes) {
    const known = groups.get(modelId) ?? []
    groups.set(modelId, known)
    if (!known.includes(groupId)) known.push(groupId)
  }
  return groups
}
