import type { Price } from '../../src/core/money/price.ts'

/** The row of a price version with the token prices of a test. */
export function priceRow(price: Price, modelId: string, validFrom: number) {
  return {
    id: price.versionId,
    model_id: modelId,
    valid_from: validFrom,
    input_nano: price.inputNano,
    cache_read_nano: price.cacheReadNano,
    cache_write_5m_nano: price.cacheWrite5mNano,
    cache_write_1h_nano: price.cacheWrite1hNano,
    output_nano: price.outputNano,
    request_nano: price.requestNano,
  }
}
