import type { Selectable } from 'kysely'
import { newId, type RandomBytes } from '../core/id.ts'
import { mapInTurns } from '../core/turns.ts'
import { complete } from '../fields/definition.ts'
import { insertAll } from '../store/in-slices.ts'
import { isKept, rowOf, valuesOf } from '../store/kept-fields.ts'
import { featurePricesText, priceOfRow, tiersText } from '../store/price-row.ts'
import type { PriceVersionTable } from '../store/tables.ts'
import type { Vault } from '../store/vault.ts'
import type { Writing } from '../store/write.ts'
import { carryTiers } from './carry-tiers.ts'
import { type GivenModel, modelDefinition } from './definition/model.ts'
import type { PriceSettings } from './definition/price.ts'
import { completeFeatures } from './feature-list-prices.ts'
import { keptModel } from './kept-settings.ts'

export const credentialPurpose = 'upstream credential'
export const proxyPurpose = 'upstream proxy'

/** The number of rows built in one turn of the event loop. */
const rowsATurn = 100

export type PutResult = 'created' | 'changed' | 'same'

export interface CatalogTools {
  readonly vault: Vault
  readonly random: RandomBytes
  readonly nowMs: () => number
}

export async function putModel(
  { tx, announce }: Writing,
  tools: CatalogTools,
  model: GivenModel,
): Promise<PutResult> {
  const row = await tx.selectFrom('model').selectAll().where('id', '=', model.id).executeTakeFirst()
  const settings = complete(modelDefinition, model, row && valuesOf(keptModel, row))
  if (row && isKept(keptModel, row, settings)) return 'same'
  const columns = rowOf(keptModel, settings)
  await tx
    .insertInto('model')
    .values({ id: model.id, ...columns, created_at: tools.nowMs() })
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
  tools: CatalogTools,
  models: readonly GivenModel[],
): Promise<void> {
  if (models.length === 0) return
  const rows = await mapInTurns(models, rowsATurn, (model) => ({
    id: model.id,
    ...rowOf(keptModel, complete(modelDefinition, model)),
    created_at: tools.nowMs(),
  }))
  await insertAll(rows, (some) => tx.insertInto('model').values(some).execute())
  for (const { id } of models) announce('catalog', id)
}

/**
 * The first price of a model is valid from the beginning, unless it is planned for later. If the first price began at
 * the time of a clock that is ahead, the price would be invalid once the clock is corrected, and the model could not be
 * used.
 */
export const fromTheBeginning = 0

/** Adds prices of models without a price in one step. */
export async function addFirstPrices(
  { tx, announce }: Writing,
  tools: CatalogTools,
  prices: readonly { readonly modelId: string; readonly price: PriceSettings }[],
): Promise<void> {
  if (prices.length === 0) return
  const rows = await mapInTurns(prices, rowsATurn, ({ modelId, price }) => ({
    id: newId('price', tools.random),
    model_id: modelId,
    valid_from: fromTheBeginning,
    ...priceColumns(modelId, price, undefined),
  }))
  await insertAll(rows, (some) => tx.insertInto('price_version').values(some).execute())
  for (const { modelId } of prices) announce('catalog', modelId)
}

/**
 * Prices are never edited. A price that differs from the version in force becomes a new version from now on; the first
 * version is valid from the beginning.
 */
export async function putPrice(
  { tx, announce }: Writing,
  tools: CatalogTools,
  modelId: string,
  price: PriceSettings,
): Promise<PutResult> {
  const row = await tx
    .selectFrom('price_version')
    .selectAll()
    .where('model_id', '=', modelId)
    .orderBy('valid_from', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const columns = priceColumns(modelId, price, row)
  const names = Object.keys(columns) as (keyof typeof columns)[]
  if (row && names.every((name) => row[name] === columns[name])) return 'same'
  const validFrom = row ? Math.max(tools.nowMs(), row.valid_from + 1) : fromTheBeginning
  await tx
    .insertInto('price_version')
    .values({
      id: newId('price', tools.random),
      model_id: modelId,
      valid_from: validFrom,
      ...columns,
    })
    .execute()
  announce('catalog', modelId)
  return row ? 'changed' : 'created'
}

/** `before` is the existing version. Its long-prompt ratios and features apply where `price` omits them. */
export function priceColumns(
  modelId: string,
  price: PriceSettings,
  before: Selectable<PriceVersionTable> | undefined,
) {
  const { features } = price
  const known = before?.features ?? undefined
  return {
    input_nano: price.inputNano,
    cache_read_nano: price.cacheReadNano,
    cache_write_5m_nano: price.cacheWrite5mNano,
    cache_write_1h_nano: price.cacheWrite1hNano,
    output_nano: price.outputNano,
    request_nano: price.requestNano,
    tiers: tiersText(price.longPrompts ?? (before && carryTiers(priceOfRow(before), price))),
    features:
      features === undefined && known !== undefined
        ? known
        : featurePricesText(completeFeatures(modelId, features ?? {})),
  }
}
