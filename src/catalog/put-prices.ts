import type { Writing } from '../store/changes/write.ts'
import type { CatalogDeps, PutResult } from './catalog-store.ts'
import type { PlannedPrice } from './definition/model.ts'
import type { PriceSettings } from './definition/price.ts'
import { fromTheBeginning, isVersion, newVersion, type PriceVersionRow } from './price-version.ts'

/** An existing planned version conflicts with the given prices: versions are never changed or withdrawn. */
export class PlannedPriceConflict extends Error {
  override readonly name = 'PlannedPriceConflict'
  readonly fromMs: number

  constructor(fromMs: number) {
    super('another price is planned')
    this.fromMs = fromMs
  }
}

/**
 * Sets the current and the planned prices of a model by adding versions. The latest planned version that has already
 * begun is the current price.
 */
export async function putPrices(
  { tx, announce }: Writing,
  deps: CatalogDeps,
  modelId: string,
  given: { readonly price: PriceSettings | undefined; readonly planned: readonly PlannedPrice[] },
): Promise<PutResult> {
  const nowMs = deps.nowMs()
  const rows = await tx
    .selectFrom('price_version')
    .selectAll()
    .where('model_id', '=', modelId)
    .orderBy('valid_from')
    .orderBy('id')
    .execute()
  const planned = given.planned.toSorted((left, right) => left.validFrom - right.validFrom)
  const started = planned.filter(({ validFrom }) => validFrom <= nowMs)
  const following = planned.slice(started.length)
  const present = started.at(-1) ?? given.price
  const ahead = rows.filter((row) => row.valid_from > nowMs)
  let last = rows.findLast((row) => row.valid_from <= nowMs)
  let isChanged = false

  if (present && !isVersion(modelId, present, last)) {
    const [next] = ahead
    if (next) throw new PlannedPriceConflict(next.valid_from)
    const validFrom = last ? Math.max(nowMs, last.valid_from + 1) : fromTheBeginning
    last = await add(present, validFrom)
  }
  for (const [index, row] of ahead.entries()) {
    const wanted = following[index]
    const isSame = wanted?.validFrom === row.valid_from && isVersion(modelId, wanted, last, row)
    if (!isSame) throw new PlannedPriceConflict(row.valid_from)
    last = row
  }
  for (const each of following.slice(ahead.length)) last = await add(each, each.validFrom)
  if (!isChanged) return 'same'
  announce('catalog', modelId)
  return rows.length > 0 ? 'changed' : 'created'

  async function add(price: PriceSettings, validFrom: number): Promise<PriceVersionRow> {
    isChanged = true
    const row = newVersion(deps.random, modelId, price, { validFrom, before: last })
    await tx.insertInto('price_version').values(row).execute()
    return row
  }
}
