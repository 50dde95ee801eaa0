import { featurePricesText } from '../store/price-row.ts'
import type { Writing } from '../store/write.ts'
import { listFeaturePrices } from './feature-list-prices.ts'

/**
 * Gives price versions from before features had prices those that are publicly known. No entry has used a feature
 * under such a version, so nothing that was charged changes. Answers how many there were.
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
