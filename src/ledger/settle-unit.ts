import type { Statement, Unit } from '../store/engine.ts'
import type { Settlement } from './ledger.ts'

export interface SettledRequest {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly leaseId: string
}

const insertEntry = `INSERT INTO entry
  (request_id, account_id, key_id, lease_id, price_version_id, factor_micro, cost_nano, input_tokens,
   cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
   usage_source, flags)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (request_id) DO NOTHING`
const useLease = 'UPDATE lease SET used_nano = used_nano + ? WHERE id = ?'
const chargeKey = `UPDATE api_key
  SET available_nano = available_nano - ?, spent_nano = spent_nano + ? WHERE id = ?`
const chargeAccount = 'UPDATE account SET available_nano = available_nano - ? WHERE id = ?'

/**
 * Exactly one entry per request, and only a fresh one costs anything. It is charged to its lease; when that has
 * been closed already, its money is back where it came from, and the cost is taken from key and account directly.
 */
export function settleUnit(
  request: SettledRequest,
  settlement: Settlement,
  alongside: readonly Statement[],
): Unit {
  const { requestId, accountId, keyId, leaseId } = request
  const { costNano, usage } = settlement
  const isLate = [
    [0, 'changed'],
    [1, 'unchanged'],
  ] as const
  return {
    statements: [
      {
        sql: insertEntry,
        values: [
          ...[requestId, accountId, keyId, leaseId, settlement.priceVersionId],
          ...[settlement.factorMicro, costNano, usage.input, usage.cacheRead],
          ...[usage.cacheWrite5m, usage.cacheWrite1h, usage.output, usage.reasoning],
          ...[settlement.usageSource, settlement.flags.join(',')],
        ],
      },
      { sql: useLease, values: [costNano, leaseId], when: [[0, 'changed']] },
      { sql: chargeKey, values: [costNano, costNano, keyId], when: isLate },
      { sql: chargeAccount, values: [costNano, accountId], when: isLate },
      ...alongside,
    ],
  }
}
