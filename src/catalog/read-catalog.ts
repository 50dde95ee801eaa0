import { readPolicy } from '../core/read-policy.ts'
import type { Engine } from '../store/engine.ts'
import { priceOfRow } from '../store/price-row.ts'
import type { Vault } from '../store/vault.ts'
import { parseJson } from '../wire/json.ts'
import type { CatalogSnapshot, Model, Route } from './catalog-snapshot.ts'
import { mergePolicies } from './merge-policies.ts'
import { readGroups } from './read-groups.ts'
import { type ReadUpstream, readUpstreams } from './read-upstreams.ts'

export async function readCatalog(
  engine: Engine,
  vault: Vault,
  demoBaseUrl: string | undefined,
): Promise<CatalogSnapshot> {
  const [groups, models, upstreams] = await Promise.all([
    readGroups(engine),
    readModels(engine),
    readUpstreams(engine, vault, demoBaseUrl),
  ])
  return {
    groups,
    models,
    upstreams: new Map([...upstreams].map(([id, { upstream }]) => [id, upstream])),
    routes: await readRoutes(engine, upstreams),
  }
}

async function readModels(engine: Engine): Promise<Map<string, Model>> {
  const prices = await engine.db
    .selectFrom('price_version')
    .selectAll()
    .orderBy('valid_from')
    .orderBy('id')
    .execute()
  const byModel = Map.groupBy(prices, (row) => row.model_id)
  const rows = await engine.db.selectFrom('model').selectAll().orderBy('id').execute()
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        displayName: row.display_name,
        ownedBy: row.owned_by,
        contextTokens: row.context_tokens ?? undefined,
        maxOutputTokens: row.max_output_tokens,
        createdAtMs: row.created_at,
        prices: (byModel.get(row.id) ?? []).map((price) => ({
          ...priceOfRow(price),
          validFromMs: price.valid_from,
        })),
      },
    ]),
  )
}

async function readRoutes(
  engine: Engine,
  upstreams: ReadonlyMap<string, ReadUpstream>,
): Promise<Map<string, Map<string, Route[]>>> {
  const rows = await engine.db
    .selectFrom('route')
    .selectAll()
    .orderBy('priority')
    .orderBy('upstream_id')
    .execute()
  const routes = new Map<string, Map<string, Route[]>>()
  for (const row of rows) {
    const read = upstreams.get(row.upstream_id)
    if (!read) continue
    const ofGroup = routes.get(row.group_id) ?? new Map<string, Route[]>()
    routes.set(row.group_id, ofGroup)
    const ofModel = ofGroup.get(row.model_id) ?? []
    ofGroup.set(row.model_id, ofModel)
    ofModel.push({
      groupId: row.group_id,
      modelId: row.model_id,
      upstream: read.upstream,
      upstreamModel: row.upstream_model,
      priority: row.priority,
      weight: row.weight,
      parameters: mergePolicies(read.parameters, ownPolicy(row.parameters)),
    })
  }
  return routes
}

function ownPolicy(text: string | null) {
  return text === null ? undefined : readPolicy(parseJson(text))
}
