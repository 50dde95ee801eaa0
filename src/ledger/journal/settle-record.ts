import { rowShape, type Shape, type ShapedRecord, type Tally } from '../../store/shape.ts'
import type { Settlement } from '../ledger.ts'
import { safeNumber } from '../safe-number.ts'

export interface SettledRequest {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly leaseId: string
}

const valueIndex = { accountId: 1, keyId: 2, leaseId: 3, costNano: 6 }

/** Locks the rows by id, the same order as everywhere, to avoid deadlocks. */
const chargeLeases = `WITH charge AS (
    SELECT lease_id, CAST(SUM(cost_nano) AS BIGINT) AS cost_nano
    FROM json_to_recordset(CAST(CAST(? AS TEXT) AS JSON)) AS each (lease_id TEXT, cost_nano BIGINT)
    GROUP BY lease_id),
  locked AS (
    SELECT id FROM lease WHERE id IN (SELECT lease_id FROM charge) ORDER BY id FOR UPDATE)
  UPDATE lease SET used_nano = lease.used_nano + charge.cost_nano
  FROM charge JOIN locked ON locked.id = charge.lease_id
  WHERE lease.id = locked.id
  RETURNING lease.id AS id`

function entryShape(name: string, columns: readonly string[]): Shape {
  return rowShape(name, { table: 'entry', unique: ['request_id'], columns }, charge)
}

const charge: Tally = {
  sums: [valueIndex.costNano],
  by: [valueIndex.leaseId, valueIndex.keyId, valueIndex.accountId],
  statements: [
    {
      sql: 'UPDATE lease SET used_nano = used_nano + ? WHERE id = ?',
      from: [1, 2],
      many: { sql: chargeLeases, members: { cost_nano: 1, lease_id: 2 }, id: 'lease_id' },
    },
    {
      sql: `UPDATE api_key SET available_nano = available_nano - ?, spent_nano = spent_nano + ?
        WHERE id = ?`,
      from: [1, 1, 3],
      when: [[0, 'unchanged']],
    },
    {
      sql: 'UPDATE account SET available_nano = available_nano - ? WHERE id = ?',
      from: [1, 4],
      when: [[0, 'unchanged']],
    },
  ],
}

const entryColumns = [
  'request_id',
  'account_id',
  'key_id',
  'lease_id',
  'price_version_id',
  'factor_micro',
  'cost_nano',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'output_tokens',
  'reasoning_tokens',
  'usage_source',
  'flags',
]

/**
 * Exactly one entry per request, and only a new entry is charged. The cost goes to the lease. If the lease is already
 * closed, its money is back on key and account, and the cost is taken from them directly.
 */
export const settleShape = entryShape('settle-1', entryColumns)

/** The entry of a request that used billed features besides tokens. */
export const settleFeaturesShape = entryShape('settle-2', [...entryColumns, 'features'])

export const entryShapeNames: ReadonlySet<string> = new Set([
  settleShape.name,
  settleFeaturesShape.name,
])

/**
 * The part of a cost that is not charged because there was no money. Only the few requests with such a part have a row.
 */
const uncoveredShape = rowShape('uncovered-1', {
  table: 'uncovered',
  unique: ['request_id'],
  columns: ['request_id', 'uncovered_nano'],
})

/** All shapes of a settlement. */
export const settleShapes = [settleShape, settleFeaturesShape, uncoveredShape]

/** The entry of a request, and its uncovered amount if there is one. */
export function settleRecords(request: SettledRequest, settlement: Settlement): ShapedRecord[] {
  const entry = settleRecord(request, settlement)
  const { uncoveredNano = 0n } = settlement
  if (uncoveredNano <= 0n) return [entry]
  return [entry, [uncoveredShape.name, request.requestId, safeNumber(uncoveredNano)]]
}

export function settleRecord(request: SettledRequest, settlement: Settlement): ShapedRecord {
  const { usage } = settlement
  const { features } = usage
  return [
    features ? settleFeaturesShape.name : settleShape.name,
    request.requestId,
    request.accountId,
    request.keyId,
    request.leaseId,
    settlement.priceVersionId,
    safeNumber(settlement.factorMicro),
    safeNumber(settlement.costNano),
    usage.input,
    usage.cacheRead,
    usage.cacheWrite5m,
    usage.cacheWrite1h,
    usage.output,
    usage.reasoning,
    settlement.usageSource,
    settlement.flags.join(','),
    ...(features ? [JSON.stringify(features)] : []),
  ]
}
