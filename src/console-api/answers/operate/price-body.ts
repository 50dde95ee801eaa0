import type { PriceSettings } from '../../../catalog/catalog-store.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { PriceTable } from '../../contract.ts'
import { nanoField, objectField } from '../../read-fields.ts'
import { nanoProblem } from '../../rules.ts'

const nano = nanoField(nanoProblem)

export const priceField = objectField(
  (entry: JsonObject): PriceSettings => ({
    inputNano: nano(entry, 'inputNano'),
    cacheReadNano: nano(entry, 'cacheReadNano'),
    cacheWrite5mNano: nano(entry, 'cacheWrite5mNano'),
    cacheWrite1hNano: nano(entry, 'cacheWrite1hNano'),
    outputNano: nano(entry, 'outputNano'),
    requestNano: nano(entry, 'requestNano'),
  }),
)

export function describeSettingsPrice(price: PriceSettings): PriceTable {
  return {
    inputNano: String(price.inputNano),
    cacheReadNano: String(price.cacheReadNano),
    cacheWrite5mNano: String(price.cacheWrite5mNano),
    cacheWrite1hNano: String(price.cacheWrite1hNano),
    outputNano: String(price.outputNano),
    requestNano: String(price.requestNano),
  }
}
