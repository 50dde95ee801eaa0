import { inOrder, type Shape, type ShapedRecord } from '../store/shape.ts'
import type { Settlement } from './ledger.ts'

export interface SettledRequest {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly leaseId: string
}

const place = { requestId: 0, accountId: 1, keyId: 2, leaseId: 3, costNano: 6 }

/**
 * Exactly one entry per request, and only a fresh one costs anything. It is charged to its lease; when that has
 * been closed already, its money is back where it came from, and the cost is taken from key and account directly.
 */
export const settleShape: Shape = {
  name: 'settle-1',
  statements: [
    {
      sql: `INSERT INTO entry
        (request_id, account_id, key_id, lease_id, price_version_id, factor_micro, cost_nano,
         input_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
         output_tokens, reasoning_tokens, usage_source, flags)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (request_id) DO NOTHING`,
      from: inOrder(15),
    },
    {
      sql: 'UPDATE lease SET used_nano = used_nano + ? WHERE id = ?',
      from: [place.costNano, place.leaseId],
      when: [[0, 'changed']],
    },
    {
      sql: `UPDATE api_key SET available_nano = available_nano - ?, spent_nano = spent_nano + ?
        WHERE id = ?`,
      from: [place.costNano, place.costNano, place.keyId],
      when: [
        [0, 'changed'],
        [1, 'unchanged'],
      ],
    },
    {
      sql: 'UPDATE account SET available_nano = available_nano - ? WHERE id = ?',
      from: [place.costNano, place.accountId],
      when: [
        [0, 'changed'],
        [1, 'unchanged'],
      ],
    },
  ],
}

export function settleRecord(request: SettledRequest, settlement: Settlement): ShapedRecord {
  const { usage } = settlement
  return [
    settleShape.name,
    request.requestId,
    request.accountId,
    request.keyId,
    request.leaseId,
    settlement.priceVersionId,
    asNumber(settlement.factorMicro),
    asNumber(settlement.costNano),
    usage.input,
    usage.cacheRead,
    usage.cacheWrite5m,
    usage.cacheWrite1h,
    usage.output,
    usage.reasoning,
    settlement.usageSource,
    settlement.flags.join(','),
  ]
}

/** Exact or not at all: an amount that a number cannot hold is refused rather than rounded. */
function asNumber(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new Error(`the amount ${value} is too large for a record`)
  return number
}
