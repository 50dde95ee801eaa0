import { type CatalogTools, putModel, putPrice } from '../catalog/catalog-store.ts'
import { freePrice, type StartModel, startCatalogue } from '../catalog/start-catalogue.ts'
import { isLocalModelServer } from '../catalog/start-models.ts'
import type { Provision, ProvisionModel } from '../config/provision.ts'
import type { Engine } from '../store/engine.ts'
import type { Writing } from '../store/write.ts'
import { combineResults, type PutResult } from './applied.ts'

export async function putProvisionedModel(
  writing: Writing,
  tools: CatalogTools,
  entry: ProvisionModel,
): Promise<PutResult> {
  const { id, displayName, ownedBy, contextTokens, maxOutputTokens, price } = entry
  const model = { id, displayName, ownedBy, contextTokens, maxOutputTokens }
  const put = await putModel(writing, tools, model)
  const priced = price === undefined ? 'same' : await putPrice(writing, tools, id, price)
  return combineResults(put, priced)
}

/** Makes a model of the start catalogue; one that is there, and its price, are the operator's by now. */
export async function addStartModel(
  writing: Writing,
  tools: CatalogTools,
  { model, price }: StartModel,
): Promise<boolean> {
  const row = await writing.tx
    .selectFrom('model')
    .select('id')
    .where('id', '=', model.id)
    .executeTakeFirst()
  if (row) return false
  await putModel(writing, tools, model)
  await putPrice(writing, tools, model.id, price)
  return true
}

const maxOutputTokens = 16_384

export interface RoutedModel {
  readonly model: ProvisionModel
  /** The sentence for a model that nobody has given a price. */
  readonly warning: string | undefined
}

/**
 * Models that an upstream of the file serves and nobody has described: out of the start catalogue where it has
 * them, for nothing where they run on one's own machine, otherwise without a price, so that they are listed and refused
 * until they get one.
 */
export async function findRoutedModels(
  engine: Engine,
  provision: Provision,
  nowMs: number,
): Promise<RoutedModel[]> {
  const described = new Set(provision.models.map(({ id }) => id))
  const found = new Map<string, RoutedModel>()
  for (const { id: upstream, models, vendor, baseUrl, where } of provision.upstreams) {
    const isLocal = isLocalModelServer(baseUrl)
    for (const { id } of models) {
      if (described.has(id) || found.has(id) || (await isInDatabase(engine, id))) continue
      const listed = await startCatalogue(vendor, nowMs, baseUrl)
      const start = listed.find(({ model }) => model.id === id)
      const plain = {
        id,
        displayName: id,
        ownedBy: 'tollgate',
        contextTokens: undefined,
        maxOutputTokens,
      }
      const warning = `${where}: the upstream "${upstream}" serves the model "${id}", which has no price; requests for it are refused until provision.models gives it one.`
      found.set(id, {
        model: {
          ...(start?.model ?? plain),
          price: start?.price ?? (isLocal ? freePrice : undefined),
          where,
        },
        warning: start || isLocal ? undefined : warning,
      })
    }
  }
  return [...found.values()]
}

async function isInDatabase(engine: Engine, id: string): Promise<boolean> {
  const row = await engine.db
    .selectFrom('model')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}
