import type { Selectable } from 'kysely'
import { newId, type RandomBytes } from '../core/id.ts'
import type { Writing } from '../store/changes/write.ts'
import { featurePricesText, priceOfRow, tiersText } from '../store/rows/price-row.ts'
import type { PriceVersionTable } from '../store/tables/tables.ts'
import { carryTiers } from './carry-tiers.ts'
import type { PriceSettings } from './definition/price.ts'
import { completeFeatures } from './feature-list-prices.ts'

export type PriceVersionRow = Selectable<PriceVersionTable>

/**
 * The first price of a model is valid from the beginning, unless it is planned for later. If the first price began at
 * the time of a clock that is ahead, the price would be invalid once the clock is corrected, and the model could not be
 * used.
 */
export const fromTheBeginning = 0

/** The version that begins last, also in the future. */
export async function findLastVersion(
  tx: Writing['tx'],
  modelId: string,
): Promise<PriceVersionRow | undefined> {
  return tx
    .selectFrom('price_version')
    .selectAll()
    .where('model_id', '=', modelId)
    .orderBy('valid_from', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** A new version of a model's price. `before` is the version that it follows. */
export function newVersion(
  random: RandomBytes,
  modelId: string,
  price: PriceSettings,
  {
    validFrom,
    before,
  }: { readonly validFrom: number; readonly before: PriceVersionRow | undefined },
): PriceVersionRow {
  return {
    id: newId('price', random),
    model_id: modelId,
    valid_from: validFrom,
    ...priceColumns(modelId, price, before),
  }
}

/** Whether a row has these prices; `before` is the version that precedes the row. */
export function isVersion(
  modelId: string,
  price: PriceSettings,
  before: PriceVersionRow | undefined,
  row = before,
): boolean {
  const columns = priceColumns(modelId, price, before)
  const names = Object.keys(columns) as (keyof typeof columns)[]
  return row !== undefined && names.every((name) => row[name] === columns[name])
}

/** The long-prompt ratios and features of `before` apply where `price` omits them. */
function priceColumns(modelId: string, price: PriceSettings, before: PriceVersionRow | undefined) {
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
