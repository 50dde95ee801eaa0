import type { TokenUsage } from '../../core/money/usage.ts'
import { rowShape, type Shape, type ShapedRecord, type Tally } from '../../store/units/shape.ts'
import type { Settlement } from '../ledger.ts'
import { safeNumber } from '../safe-number.ts'

export interface SettledRequest {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly leaseId: string
  /** The counters that the lease takes its money from; absent when no limit applies. */
  readonly budgetSet?: string | undefined
}

const valueIndex = { accountId: 1, keyId: 2, leaseId: 3, costNano: 6, budgetSet: 16 }

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

/** One sum for each counter of the batch. Locks the rows by id, like `chargeLeases`. */
const chargeCounters = (change: string): string => `WITH charge AS (
    SELECT s.counter_id, CAST(SUM(each.cost_nano) AS BIGINT) AS cost_nano
    FROM json_to_recordset(CAST(CAST(? AS TEXT) AS JSON)) AS each (budget_set TEXT, cost_nano BIGINT)
    JOIN budget_set s ON s.set_id = each.budget_set
    GROUP BY s.counter_id),
  locked AS (
    SELECT id FROM budget_counter WHERE id IN (SELECT counter_id FROM charge) ORDER BY id FOR UPDATE)
  UPDATE budget_counter SET ${change}
  FROM charge JOIN locked ON locked.id = charge.counter_id
  WHERE budget_counter.id = locked.id`

/** One row for each counter and alert amount, however often the amount is crossed. */
const recordCrossings = (counters: string): string => `INSERT INTO budget_crossing
    (counter_id, alert_nano, spent_nano)
  SELECT id, alert_nano, spent_nano FROM budget_counter
  WHERE id IN (${counters}) AND spent_nano >= alert_nano
  ON CONFLICT (counter_id, alert_nano) DO NOTHING`

/** Placeholders: the set, the cost, and the set again. */
const keepUncounted = `INSERT INTO uncounted_cost (set_id, cost_nano)
  SELECT CAST(? AS TEXT), CAST(? AS BIGINT) WHERE NOT EXISTS (SELECT 1 FROM budget_set WHERE set_id = ?)
  ON CONFLICT (set_id) DO UPDATE SET cost_nano = uncounted_cost.cost_nano + excluded.cost_nano`

const countersOfSet = 'SELECT counter_id FROM budget_set WHERE set_id = ?'
const countersOfSets = `SELECT s.counter_id
  FROM json_to_recordset(CAST(CAST(? AS TEXT) AS JSON)) AS each (budget_set TEXT)
  JOIN budget_set s ON s.set_id = each.budget_set`

function entryShape(name: string, columns: readonly string[], tally: Tally): Shape {
  return rowShape(name, { table: 'entry', unique: ['request_id'], columns }, tally)
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

/** Also charges the counters of the request, or keeps the cost for them, and records those that reach their alert amount. */
const chargeBudgets: Tally = {
  sums: charge.sums,
  by: [...charge.by, valueIndex.budgetSet],
  statements: [
    ...charge.statements,
    {
      sql: `UPDATE budget_counter SET available_nano = available_nano - ? WHERE id IN (${countersOfSet})`,
      from: [1, 5],
      when: [[0, 'unchanged']],
      many: {
        sql: chargeCounters('available_nano = budget_counter.available_nano - charge.cost_nano'),
        members: { cost_nano: 1, budget_set: 5 },
      },
    },
    {
      sql: `UPDATE budget_counter SET spent_nano = spent_nano + ? WHERE id IN (${countersOfSet})`,
      from: [1, 5],
      many: {
        sql: chargeCounters('spent_nano = budget_counter.spent_nano + charge.cost_nano'),
        members: { cost_nano: 1, budget_set: 5 },
      },
    },
    {
      sql: recordCrossings(countersOfSet),
      from: [5],
      many: { sql: recordCrossings(countersOfSets), members: { budget_set: 5 } },
    },
    // A lease that exists has its set of counters.
    { sql: keepUncounted, from: [5, 1, 5], when: [[0, 'unchanged']] },
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
export const settleShape = entryShape('settle-1', entryColumns, charge)

/** The entry of a request that used billed features besides tokens. */
export const settleFeaturesShape = entryShape('settle-2', [...entryColumns, 'features'], charge)

/** The entry of a request that is charged to the counters of budgets. */
const settleBudgetsShape = entryShape(
  'settle-3',
  [...entryColumns, 'features', 'budget_set'],
  chargeBudgets,
)

export const entryShapeNames: ReadonlySet<string> = new Set([
  settleShape.name,
  settleFeaturesShape.name,
  settleBudgetsShape.name,
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
export const settleShapes = [settleShape, settleFeaturesShape, settleBudgetsShape, uncoveredShape]

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
  const { budgetSet } = request
  const record: [string, ...(string | number | null)[]] = [
    shapeOf(request, settlement).name,
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
    featuresText(features),
    budgetSet ?? null,
  ]
  // To shorten a list is cheaper than to extend one, which copies the list.
  if (budgetSet === undefined) record.pop()
  if (budgetSet === undefined && !features) record.pop()
  return record
}

function shapeOf({ budgetSet }: SettledRequest, { usage }: Settlement): Shape {
  if (budgetSet !== undefined) return settleBudgetsShape
  return usage.features ? settleFeaturesShape : settleShape
}

function featuresText(features: TokenUsage['features']): string | null {
  return features ? JSON.stringify(features) : null
}
