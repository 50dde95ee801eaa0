import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/vault.ts'
import type { CatalogSnapshot, Group, Model, Route, Upstream } from './catalog-snapshot.ts'
import { credentialPurpose } from './catalog-store.ts'

/** Stands in the database for the demo upstream, which every process has on a port of its own. */
const demoPlace = 'demo:'

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
  return { groups, models, routes: await readRoutes(engine, upstreams) }
}

async function readGroups(engine: Engine): Promise<Map<string, Group>> {
  const rows = await engine.db.selectFrom('service_group').selectAll().execute()
  return new Map(
    rows.map(({ id, factor_micro, unsupported }) => [
      id,
      { id, factorMicro: BigInt(factor_micro), isStrict: unsupported === 'reject' },
    ]),
  )
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
          versionId: price.id,
          validFromMs: price.valid_from,
          inputNano: price.input_nano,
          cacheReadNano: price.cache_read_nano,
          cacheWrite5mNano: price.cache_write_5m_nano,
          cacheWrite1hNano: price.cache_write_1h_nano,
          outputNano: price.output_nano,
          requestNano: price.request_nano,
        })),
      },
    ]),
  )
}

/** An upstream whose place is not open in this process is left out: its routes do not exist here. */
async function readUpstreams(
  engine: Engine,
  vault: Vault,
  demoBaseUrl: string | undefined,
): Promise<Map<string, Upstream>> {
  const all = await engine.db.selectFrom('upstream').selectAll().execute()
  const rows = all.filter((row) => row.base_url !== demoPlace || demoBaseUrl !== undefined)
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        vendor: row.vendor,
        protocol: row.protocol,
        baseUrl: row.base_url === demoPlace ? (demoBaseUrl ?? '') : row.base_url,
        credential:
          row.credential_sealed === null
            ? undefined
            : vault.open(row.credential_sealed, credentialPurpose),
      },
    ]),
  )
}

async function readRoutes(
  engine: Engine,
  upstreams: ReadonlyMap<string, Upstream>,
): Promise<Map<string, Map<string, Route[]>>> {
  const rows = await engine.db
    .selectFrom('route')
    .selectAll()
    .orderBy('priority')
    .orderBy('upstream_id')
    .execute()
  const routes = new Map<string, Map<string, Route[]>>()
  for (const row of rows) {
    const upstream = upstreams.get(row.upstream_id)
    if (!upstream) continue
    const ofGroup = routes.get(row.group_id) ?? new Map<string, Route[]>()
    routes.set(row.group_id, ofGroup)
    const ofModel = ofGroup.get(row.model_id) ?? []
    ofGroup.set(row.model_id, ofModel)
    ofModel.push({
      groupId: row.group_id,
      modelId: row.model_id,
      upstream,
      upstreamModel: row.upstream_model,
      priority: row.priority,
      weight: row.weight,
    })
  }
  return routes
}
