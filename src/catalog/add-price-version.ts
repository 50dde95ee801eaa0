import type { Writing } from '../store/changes/write.ts'
import type { CatalogDeps } from './catalog-store.ts'
import type { PriceSettings } from './definition/price.ts'
import { findLastVersion, fromTheBeginning, newVersion } from './price-version.ts'

/**
 * Adds a version of a model's price and returns the moment from which the version is valid: now, a future moment, or
 * the beginning of time for the first version. Returns undefined when an existing version begins later: versions take
 * effect one after the other, in the order of their creation.
 */
export async function addPriceVersion(
  { tx, announce }: Writing,
  deps: CatalogDeps,
  version: {
    readonly modelId: string
    readonly price: PriceSettings
    readonly validFromMs: number | null
  },
): Promise<number | undefined> {
  const { modelId, price } = version
  const last = await findLastVersion(tx, modelId)
  const validFrom =
    version.validFromMs ?? (last ? startAfter(last, deps.nowMs()) : fromTheBeginning)
  if (last && last.valid_from >= validFrom) return undefined
  await tx
    .insertInto('price_version')
    .values(newVersion(deps.random, modelId, price, { validFrom, before: last }))
    .execute()
  announce('catalog', modelId)
  return validFrom
}

/** Two changes within one millisecond still get different start times. */
function startAfter(last: { readonly valid_from: number }, nowMs: number): number {
  return last.valid_from === nowMs ? nowMs + 1 : nowMs
}
