import { ownedLimits } from '../core/limits/rate-limit.ts'
import { mapInTurns } from '../core/runtime/turns.ts'
import type { Engine } from '../store/engine.ts'
import { priceOfRow } from '../store/rows/price-row.ts'
import { limitColumns, valuesOf } from '../store/rows/stored-fields.ts'
import type { Vault } from '../store/secrets/vault.ts'
import type { CatalogSnapshot, Model, Route } from './catalog-snapshot.ts'
import { mergePolicies } from './merge-policies.ts'
import { readGroups } from './read-groups.ts'
import { type ReadUpstream, readUpstreams } from './read-upstreams.ts'
import { routeColumns } from './setting-columns.ts'

/**
 * The number of rows read in one turn of the event loop, so that requests proceed while a large catalogue is reloaded.
 */
const rowsATurn = 500

export async function readCatalog(
  engine: Engine,
  vault: Vault,
  demoBaseUrl: string | undefined,
): Promise<CatalogSnapshot> {
  const upstreamsRead = readUpstreams(engine, vault, demoBaseUrl)
  const [groups, models, upstreams, routes] = await Promise.all([
    readGroups(engine),
    readModels(engine),
    upstreamsRead,
    readRoutes(engine, upstreamsRead),
  ])
  return {
    groups,
    models,
    upstreams: new Map([...upstreams].map(([id, { upstream }]) => [id, upstream])),
    routes,
  }
}

async function readModels(engine: Engine): Promise<Map<string, Model>> {
  const prices = engine.db
    .selectFrom('price_version')
    .selectAll()
    .orderBy('valid_from')
    .orderBy('id')
  const [priceRows, rows] = await Promise.all([
    prices.execute(),
    engine.db.selectFrom('model').selectAll().orderBy('id').execute(),
  ])
  const byModel = new Map<string, Model['prices'][number][]>()
  await mapInTurns(priceRows, rowsATurn, (row) => {
    const price = { ...priceOfRow(row), validFromMs: row.valid_from }
    const known = byModel.get(row.model_id)
    if (known) known.push(price)
    else byModel.set(row.model_id, [price])
  })
  const models = await mapInTurns(rows, rowsATurn, (row) => ({
    id: row.id,
    displayName: row.display_name,
    ownedBy: row.owned_by,
    contextTokens: row.context_tokens ?? undefined,
    maxOutputTokens: row.max_output_tokens,
    createdAtMs: row.created_at,
    limits: ownedLimits('model', row.id, valuesOf(limitColumns, row)),
    prices: byModel.get(row.id) ?? [],
  }))
  return new Map(models.map((model) => [model.id, model]))
}

async function readRoutes(
  engine: Engine,
  upstreamsRead: Promise<ReadonlyMap<string, ReadUpstream>>,
): Promise<Map<string, Map<string, Route[]>>> {
  const query = engine.db.selectFrom('route').selectAll().orderBy('priority').orderBy('upstream_id')
  const [rows, upstreams] = await Promise.all([query.execute(), upstreamsRead])
  const routes = new Map<string, Map<string, Route[]>>()
  await mapInTurns(rows, rowsATurn, (row) => {
    const read = upstreams.get(row.upstream_id)
    if (!read) return
    const ofGroup = routes.get(row.group_id) ?? new Map<string, Route[]>()
    routes.set(row.group_id, ofGroup)
    const ofModel = ofGroup.get(row.model_id) ?? []
    ofGroup.set(row.model_id, ofModel)
    const { group, model, upstreamModel, priority, weight, parameters } = valuesOf(
      routeColumns,
      row,
    )
    ofModel.push({
      groupId: group,
      modelId: model,
      upstream: read.upstream,
      upstreamModel,
      priority,
      weight,
      parameters: mergePolicies(read.parameters, parameters ?? undefined),
    })
  })
  return routes
}
