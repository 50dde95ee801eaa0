import { million } from '../../../core/money.ts'
import type { PriceVersionTable } from '../../../store/tables.ts'
import type { PriceTable } from '../../contract.ts'

type Amounts = Pick<
  PriceVersionTable,
  | 'input_nano'
  | 'cache_read_nano'
  | 'cache_write_5m_nano'
  | 'cache_write_1h_nano'
  | 'output_nano'
  | 'request_nano'
>

/** Prices with a factor in millionths applied, each rounded up to a nano. */
export function scaledPrice(price: Amounts, factorMicro: number): PriceTable {
  const scaled = (nano: bigint) => String((nano * BigInt(factorMicro) + million - 1n) / million)
  return {
    inputNano: scaled(price.input_nano),
    cacheReadNano: scaled(price.cache_read_nano),
    cacheWrite5mNano: scaled(price.cache_write_5m_nano),
    cacheWrite1hNano: scaled(price.cache_write_1h_nano),
    outputNano: scaled(price.output_nano),
    requestNano: scaled(price.request_nano),
  }
}

export function describePrice(price: Amounts): PriceTable {
  return scaledPrice(price, Number(million))
}
