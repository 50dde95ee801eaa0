import type { Nano } from '../core/money.ts'
import type { Statement, Unit } from '../store/engine.ts'
import type { Settlement } from './ledger.ts'

export interface HoldFacts {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly grantedNano: Nano
}

const insertEntry = `INSERT INTO entry
  (request_id, account_id, key_id, lease_id, price_version_id, factor_micro, cost_nano, input_tokens,
   cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
   usage_source, flags)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (request_id) DO NOTHING`
const deleteLease = 'DELETE FROM lease WHERE id = ?'
const moveAccount = 'UPDATE account SET available_nano = available_nano + ? WHERE id = ?'
const moveKey =
  'UPDATE api_key SET available_nano = available_nano + ?, spent_nano = spent_nano + ? WHERE id = ?'

/**
 * Exactly one entry per request: only a fresh entry moves money. When the lease is still there its rest goes
 * back; when it has been reclaimed already, its money is back where it came from and the cost is taken from
 * account and key directly.
 */
export function settleUnit(
  hold: HoldFacts,
  settlement: Settlement,
  alongside: readonly Statement[],
): Unit {
  const { requestId, accountId, keyId, grantedNano } = hold
  const { costNano, usage } = settlement
  const rest = grantedNano - costNano
  const isFresh = [0, 'changed'] as const
  return {
    locks: { keyId, accountId },
    statements: [
      {
        sql: insertEntry,
        values: [
          requestId,
          accountId,
          keyId,
          requestId,
          settlement.priceVersionId,
          settlement.factorMicro,
          costNano,
          usage.input,
          usage.cacheRead,
          usage.cacheWrite5m,
          usage.cacheWrite1h,
          usage.output,
          usage.reasoning,
          settlement.usageSource,
          settlement.flags.join(','),
        ],
      },
      { sql: deleteLease, values: [requestId], when: [isFresh] },
      { sql: moveAccount, values: [rest, accountId], when: [isFresh, [1, 'changed']] },
      { sql: moveKey, values: [rest, costNano, keyId], when: [isFresh, [1, 'changed']] },
      { sql: moveAccount, values: [-costNano, accountId], when: [isFresh, [1, 'unchanged']] },
      { sql: moveKey, values: [-costNano, costNano, keyId], when: [isFresh, [1, 'unchanged']] },
      ...alongside,
    ],
  }
}
