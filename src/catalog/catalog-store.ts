import type { RandomBytes } from '../core/id.ts'
import { mapInTurns } from '../core/runtime/turns.ts'
import { complete } from '../fields/definition.ts'
import type { Writing } from '../store/changes/write.ts'
import { insertAll } from '../store/rows/in-slices.ts'
import { hasValues, rowOf, valuesOf } from '../store/rows/stored-fields.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { type GivenModel, modelDefinition } from './definition/model.ts'
import type { PriceSettings } from './definition/price.ts'
import { findLastVersion, fromTheBeginning, isVersion, newVersion } from './price-version.ts'
import { modelColumns } from './setting-columns.ts'

export const credentialPurpose = 'upstream credential'
export const proxyPurpose = 'upstream proxy'

/** The number of rows built in one turn of the event loop. */
const rowsATurn = 100

export type PutResult = 'created' | 'changed' | 'same'

export interface CatalogDeps {
  readonly vault: Vault
  readonly random: RandomBytes
  readonly nowMs: () => number
}

export async function putModel(
  { tx, announce }: Writing,
  deps: CatalogDeps,
  model: GivenModel,
): Promise<PutResult> {
  const row = await tx.selectFrom('model').selectAll().where('id', '=', model.id).executeTakeFirst()
  const settings = complete(modelDefinition, model, row && valuesOf(modelColumns, row))
  if (row && hasValues(modelColumns, row, settings)) return 'same'
  const columns = rowOf(modelColumns, settings)
  await tx
    .insertInto('model')
    .values({ id: model.id, ...columns, created_at: deps.nowMs() })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
    .execute()
  announce('catalog', model.id)
  return row ? 'changed' : 'created'
}

/** The caller has checked that the model has no price: a model that ledger entries may refer to cannot be removed. */
export async function removeModel({ tx, announce }: Writing, modelId: string): Promise<void> {
  await tx.deleteFrom('model').where('id', '=', modelId).execute()
  announce('catalog', modelId)
}

/** Adds new models in one step. */
export async function addModels(
  { tx, announce }: Writing,
  deps: CatalogDeps,
  models: readonly GivenModel[],
): Promise<void> {
  if (models.length === 0) return
  const rows = await mapInTurns(models, rowsATurn, (model) => ({
    id: model.id,
    ...rowOf(modelColumns, complete(modelDefinition, model)),
    created_at: deps.nowMs(),
  }))
  await insertAll(rows, (some) => tx.insertInto('model').values(some).execute())
  for (const { id } of models) announce('catalog', id)
}

/** Adds prices of models without a price in one step. */
export async function addFirstPrices(
  { tx, announce }: Writing,
  deps: CatalogDeps,
  prices: readonly { readonly modelId: string; readonly price: PriceSettings }[],
): Promise<void> {
  if (prices.length === 0) return
  const first = { validFrom: fromTheBeginning, before: undefined }
  const rows = await mapInTurns(prices, rowsATurn, ({ modelId, price }) =>
    newVersion(deps.random, modelId, price, first),
  )
  await insertAll(rows, (some) => tx.insertInto('price_version').values(some).execute())
  for (const { modelId } of prices) announce('catalog', modelId)
}

/**
 * Prices are never edited. A price that differs from the version in force becomes a new version from now on; the first
 * version is valid from the beginning.
 */
export async function putPrice(
  { tx, announce }: Writing,
  deps: CatalogDeps,
  modelId: string,
  price: PriceSettings,
): Promise<PutResult> {
  const last = await findLastVersion(tx, modelId)
  if (isVersion(modelId, price, last)) return 'same'
  const validFrom = last ? Math.max(deps.nowMs(), last.valid_from + 1) : fromTheBeginning
  const version = newVersion(deps.random, modelId, price, { validFrom, before: last })
  await tx.insertInto('price_version').values(version).execute()
  announce('catalog', modelId)
  return last ? 'changed' : 'created'
}
