import type { Engine } from '../../../store/engine.ts'
import type { PriceVersionTable } from '../../../store/tables/tables.ts'

/** The price version in force of each model; models without one are absent. */
export async function priceInForce(
  db: Engine['db'],
  modelIds: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, PriceVersionTable>> {
  if (modelIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('price_version')
    .selectAll()
    .where('model_id', 'in', modelIds)
    .where('valid_from', '<=', nowMs)
    .orderBy('valid_from')
    .orderBy('id')
    .execute()
  return new Map(rows.map((row) => [row.model_id, row]))
}
