import { addStartModels, pricedModels } from '../catalog/add-start-models.ts'
import type { PutResult } from '../catalog/catalog-store.ts'
import { type CatalogDeps, putModel, putPrice } from '../catalog/catalog-store.ts'
import { modelDefinition } from '../catalog/definition/model.ts'
import { PlannedPriceConflict, putPrices } from '../catalog/put-prices.ts'
import { freePrice, startCatalogue } from '../catalog/start-catalogue.ts'
import { isLocalModelServer } from '../catalog/start-models.ts'
import type { Provision, ProvisionModel } from '../config/provision.ts'
import { complete } from '../fields/definition.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import { knownIds } from '../store/rows/known-ids.ts'
import { combineResults } from './applied.ts'
import type { OnConflict } from './conflicts.ts'

async function putProvisionedModel(
  writing: Writing,
  deps: CatalogDeps,
  entry: ProvisionModel,
  onConflict: OnConflict,
): Promise<PutResult> {
  const put = await putModel(writing, deps, entry)
  return combineResults(put, await putModelPrices(writing, deps, entry, onConflict))
}

async function putModelPrices(
  writing: Writing,
  deps: CatalogDeps,
  { id, price, plannedPrices: planned, where }: ProvisionModel,
  onConflict: OnConflict,
): Promise<PutResult> {
  if (planned === undefined) return price ? putPrice(writing, deps, id, price) : 'same'
  try {
    return await putPrices(writing, deps, id, { price, planned })
  } catch (error) {
    if (!(error instanceof PlannedPriceConflict)) throw error
    const from = new Date(error.fromMs).toISOString()
    onConflict(
      `${where}: the model "${id}" has a planned price from ${from} that differs from "plannedPrices"; a planned price cannot be changed or removed, so write it as it is.`,
    )
    return 'same'
  }
}

/** Applies all models of the file: new models in one step, each existing model only if it differs. */
export async function putProvisionedModels(
  writing: Writing,
  deps: CatalogDeps,
  entries: readonly ProvisionModel[],
  onConflict: OnConflict,
): Promise<ReadonlyMap<string, PutResult>> {
  const added = await addStartModels(
    writing,
    deps,
    entries.map((model) => ({ model, price: model.plannedPrices ? undefined : model.price })),
  )
  const results = new Map<string, PutResult>(added.map((id) => [id, 'created']))
  for (const each of entries) {
    if (!results.has(each.id))
      results.set(each.id, await putProvisionedModel(writing, deps, each, onConflict))
    else if (each.plannedPrices) await putModelPrices(writing, deps, each, onConflict)
  }
  return results
}

/**
 * Models that an upstream of the file serves and that have no entry of their own. Their prices come from the initial
 * catalogue; models on the operator's own machine are free; other models get no price, so that they are listed but
 * refused until they have one.
 */
export async function findRoutedModels(
  engine: Engine,
  provision: Provision,
  nowMs: number,
): Promise<ProvisionModel[]> {
  const described = new Set(provision.models.map(({ id }) => id))
  const known = await knownIds(
    engine.db,
    'model',
    provision.upstreams.flatMap(({ models }) => models.map(({ model }) => model)),
  )
  const found = new Map<string, ProvisionModel>()
  for (const { models, vendor, baseUrl, where } of provision.upstreams) {
    const isLocal = isLocalModelServer(baseUrl)
    for (const { model: id } of models) {
      if (described.has(id) || found.has(id) || known.has(id)) continue
      const listed = await startCatalogue(vendor, nowMs, baseUrl)
      const start = listed.find(({ model }) => model.id === id)
      const plain = complete(modelDefinition, { id, displayName: id })
      found.set(id, {
        ...(start?.model ?? plain),
        price: start?.price ?? (isLocal ? freePrice : undefined),
        where,
      })
    }
  }
  return [...found.values()]
}

/** A warning at every start for each model without a price that an upstream of the file serves. */
export async function warnOfUnpriced({ tx }: Writing, { upstreams }: Provision): Promise<string[]> {
  const ids = [...new Set(upstreams.flatMap(({ models }) => models.map(({ model }) => model)))]
  const priced = await pricedModels(tx, ids)
  const warned = new Set<string>()
  return upstreams.flatMap(({ id: upstream, models, where }) =>
    models.flatMap(({ model: id }) => {
      if (priced.has(id) || warned.has(id)) return []
      warned.add(id)
      return `${where}: the upstream "${upstream}" serves the model "${id}", which has no price; requests for it are rejected until you set a price in provision.models.`
    }),
  )
}
