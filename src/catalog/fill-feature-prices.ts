import type { Writing } from '../store/changes/write.ts'
import { featurePricesText } from '../store/rows/price-row.ts'
import { listFeaturePrices } from './feature-list-prices.ts'

/**
 * Adds the publicly known feature prices to price versions that were made before features had prices. No entry has used
 * a feature under such a version, so no past charge changes. Returns the number of versions.
 */
export async function fillFeaturePrices({ tx, announce }: Writing): Promise<number> {
  const rows = await tx
    .selectFrom('price_version')
    .select(['id', 'model_id'])
    .where('features', 'is', null)
    .execute()
  for (const row of rows) {
    await tx
      .updateTable('price_version')
      .set({ features: featurePricesText(listFeaturePrices(row.model_id)) })
      .where('id', '=', row.id)
      .where('features', 'is', null)
      .execute()
  }
  for (const modelId of new Set(rows.map((row) => row.model_id))) announce('catalog', modelId)
  return rows.length
}
