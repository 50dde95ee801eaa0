import type { Writing } from '../store/changes/write.ts'
import { selectAll } from '../store/rows/in-slices.ts'
import { knownIds } from '../store/rows/known-ids.ts'
import { addFirstPrices, addModels, type CatalogDeps, putPrice } from './catalog-store.ts'
import type { GivenModel } from './definition/model.ts'
import type { PriceSettings } from './definition/price.ts'

/**
 * Creates the missing models in one step, because an initial catalogue has dozens, and returns their ids. Existing models
 * and their prices stay unchanged: they belong to the operator.
 */
export async function addStartModels(
  writing: Writing,
  deps: CatalogDeps,
  list: readonly { readonly model: GivenModel; readonly price: PriceSettings | undefined }[],
): Promise<string[]> {
  const { tx } = writing
  const known = await knownIds(
    tx,
    'model',
    list.map(({ model }) => model.id),
  )
  const missing = list.filter(({ model }) => !known.has(model.id))
  if (missing.length === 0) return []
  const ids = missing.map(({ model }) => model.id)
  await addModels(
    writing,
    deps,
    missing.map(({ model }) => model),
  )
  // A deleted model leaves its prices behind.
  const priced = await pricedModels(tx, ids)
  const fresh = missing.filter(({ model }) => !priced.has(model.id))
  await addFirstPrices(
    writing,
    deps,
    fresh.flatMap(({ model, price }) => (price ? [{ modelId: model.id, price }] : [])),
  )
  for (const { model, price } of missing)
    if (price && priced.has(model.id)) await putPrice(writing, deps, model.id, price)
  return ids
}

/** Those of the models that have a price, now or in the past. */
export async function pricedModels(
  tx: Writing['tx'],
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await selectAll(ids, (some) =>
    tx
      .selectFrom('price_version')
      .select('model_id')
      .distinct()
      .where('model_id', 'in', some)
      .execute(),
  )
  return new Set(rows.map((row) => row.model_id))
}
