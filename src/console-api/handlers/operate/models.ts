import { type Selectable, sql } from 'kysely'
import { putModel, putPrice, removeModel } from '../../../catalog/catalog-store.ts'
import type { modelDefinition } from '../../../catalog/definition/model.ts'
import { type PriceSettings, priceDefinition } from '../../../catalog/definition/price.ts'
import { modelColumns } from '../../../catalog/setting-columns.ts'
import { type EditOf, toWire } from '../../../fields/definition.ts'
import type { Engine } from '../../../store/engine.ts'
import { likePattern } from '../../../store/rows/like-pattern.ts'
import { valuesOf } from '../../../store/rows/stored-fields.ts'
import type { ModelTable, PriceVersionTable } from '../../../store/tables/tables.ts'
import { type ChangeContext, change } from '../../changes/change.ts'
import { putById, withBody } from '../../changes/put-by-id.ts'
import { pageRows, writeCursor } from '../../contract/paging.ts'
import type { DoneAnswer, ModelDetail, ModelRow, ModelsAnswer } from '../../contract.ts'
import { ApiRefusal, refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { pageOf } from '../../rows/pages.ts'
import { priceInForce } from '../models/price-in-force.ts'
import { describePrice } from '../models/scaled-price.ts'
import { listRoutes } from './routes.ts'
import { toolsOf } from './upstreams.ts'

export async function listModels(
  call: CallOf<'GET /operate/models'>,
): Promise<JsonAnswer<ModelsAnswer>> {
  const { deps, query } = call
  const { db } = deps.engine
  const nowMs = deps.clock.nowMs()
  let models = db
    .selectFrom('model as m')
    .selectAll()
    .where('m.id', '>', query.after?.[0] ?? '')
  const search = query.search
  if (search !== undefined) {
    const pattern = likePattern(search)
    models = models.where(
      sql<boolean>`(lower(m.id) LIKE ${pattern} ESCAPE '!' OR lower(m.display_name) LIKE ${pattern} ESCAPE '!')`,
    )
  }
  const lacks = query.lacks
  if (lacks === 'route') {
    models = models.where(sql<boolean>`NOT EXISTS (SELECT 1 FROM route r WHERE r.model_id = m.id)`)
  } else if (lacks === 'price') {
    models = models.where(
      sql<boolean>`NOT EXISTS (SELECT 1 FROM price_version p WHERE p.model_id = m.id AND p.valid_from <= ${nowMs})`,
    )
  }
  const rowsMax = query.limit ?? pageRows.models
  const found = await models
    .orderBy('m.id')
    .limit(rowsMax + 1)
    .execute()
  const { rows, next } = pageOf(found, rowsMax, (row) => writeCursor(row.id))
  return { body: { models: await describeModels(db, rows, nowMs), next } }
}

export async function readModel(call: SignedInCall): Promise<JsonAnswer<ModelDetail>> {
  return { body: await detailOf(call, call.id) }
}

export async function createModel(
  call: CallOf<'POST /operate/models'>,
): Promise<JsonAnswer<ModelDetail>> {
  const { price, ...model } = await call.body()
  const { id, ...settings } = model
  await change(call, async (changing) => {
    if (await findModel(changing, id)) {
      throw refuse('conflict', 'model_taken', { values: { id }, field: 'id' })
    }
    await putModel(changing, toolsOf(call), model)
    if (price) await putPrice(changing, toolsOf(call), id, price)
    const after = { ...settings, price: price && toWire(priceDefinition, price) }
    await changing.record({ action: 'model.created', subject: id, after })
  })
  return { body: await detailOf(call, id) }
}

export async function editModel(
  call: CallOf<'PATCH /operate/models/{id}'>,
): Promise<JsonAnswer<ModelDetail>> {
  return changeModel(call, await call.body())
}

export async function putModelRow(
  call: CallOf<'PUT /operate/models/{id}'>,
): Promise<JsonAnswer<ModelDetail>> {
  const { id, deps } = call
  const { price, ...model } = await call.body()
  return putById({
    id,
    isThere: () => findModel({ tx: deps.engine.db }, id),
    make: () => createModel(withBody(call, { ...model, id, price: price ?? null })),
    replace: () => changeModel(call, model, price),
  })
}

async function changeModel(
  call: Omit<SignedInCall, 'body' | 'query'>,
  changes: EditOf<typeof modelDefinition>,
  price?: PriceSettings,
): Promise<JsonAnswer<ModelDetail>> {
  const { id } = call
  await change(call, async (changing) => {
    const before = valuesOf(modelColumns, await needModel(changing, id))
    const after = { ...before, ...changes }
    const put = await putModel(changing, toolsOf(call), { id, ...after })
    if (put !== 'same') {
      await changing.record({ action: 'model.changed', subject: id, before, after })
    }
    if (price && (await putPrice(changing, toolsOf(call), id, price)) !== 'same') {
      const after = { price: toWire(priceDefinition, price) }
      await changing.record({ action: 'price.added', subject: id, after })
    }
  })
  return { body: await detailOf(call, id) }
}

/** The ledger refers to price versions, so a model that ever had one stays. Without routes it cannot be called. */
export async function deleteModel(call: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  const { id } = call
  await change(call, async (changing) => {
    const { tx } = changing
    const before = valuesOf(modelColumns, await needModel(changing, id))
    const routes = await listRoutes(tx, { model: id })
    if (routes.length > 0) throw refuse('in_use', 'model_routed')
    const version = await tx
      .selectFrom('price_version')
      .select('id')
      .where('model_id', '=', id)
      .executeTakeFirst()
    if (version) {
      throw refuse('in_use', 'model_in_ledger')
    }
    await removeModel(changing, id)
    await changing.record({ action: 'model.deleted', subject: id, before })
  })
  return { body: { isDone: true } }
}

type ModelRecord = Selectable<ModelTable>

function findModel(
  { tx }: { readonly tx: Engine['db'] },
  id: string,
): Promise<ModelRecord | undefined> {
  return tx.selectFrom('model').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function needModel(changing: ChangeContext, id: string): Promise<ModelRecord> {
  const row = await findModel(changing, id)
  if (!row) throw new ApiRefusal('not_found', 'This model does not exist.')
  return row
}

async function describeModels(
  db: Engine['db'],
  rows: readonly ModelRecord[],
  nowMs: number,
): Promise<ModelRow[]> {
  const ids = rows.map((row) => row.id)
  if (ids.length === 0) return []
  const [prices, versions, routes] = await Promise.all([
    priceInForce(db, ids, nowMs),
    db
      .selectFrom('price_version')
      .select(['model_id', ({ fn }) => fn.countAll().as('count')])
      .where('model_id', 'in', ids)
      .groupBy('model_id')
      .execute(),
    db.selectFrom('route').select(['model_id', 'group_id']).where('model_id', 'in', ids).execute(),
  ])
  const counts = new Map(versions.map((row) => [row.model_id, Number(row.count)]))
  return rows.map((row) => {
    const own = routes.filter((route) => route.model_id === row.id)
    const price = prices.get(row.id)
    return {
      id: row.id,
      ...valuesOf(modelColumns, row),
      price: price ? describePrice(price) : null,
      versionCount: counts.get(row.id) ?? 0,
      routeCount: own.length,
      groups: [...new Set(own.map((route) => route.group_id))].sort(),
      createdAt: row.created_at,
    }
  })
}

export async function detailOf(call: Pick<SignedInCall, 'deps'>, id: string): Promise<ModelDetail> {
  const { db } = call.deps.engine
  const nowMs = call.deps.clock.nowMs()
  const row = await db.selectFrom('model').selectAll().where('id', '=', id).executeTakeFirst()
  const [described] = row ? await describeModels(db, [row], nowMs) : []
  if (!described) throw new ApiRefusal('not_found', 'This model does not exist.')
  const versions = await db
    .selectFrom('price_version')
    .selectAll()
    .where('model_id', '=', id)
    .orderBy('valid_from', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const inForce = versions.find((version) => version.valid_from <= nowMs)
  return {
    ...described,
    versions: versions.map((version) => describeVersion(version, inForce?.id, nowMs)),
    routes: await listRoutes(db, { model: id }),
  }
}

function describeVersion(
  version: PriceVersionTable,
  inForceId: string | undefined,
  nowMs: number,
): ModelDetail['versions'][number] {
  const { id, valid_from: validFrom } = version
  const started = id === inForceId ? 'in-force' : 'past'
  return {
    id,
    validFrom,
    state: validFrom > nowMs ? 'planned' : started,
    price: describePrice(version),
  }
}
