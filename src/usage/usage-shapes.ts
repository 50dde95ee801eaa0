import { inOrder, rowShape, type Shape } from '../store/shape.ts'
import { addHour, addHourOfRow } from './usage-hour-sql.ts'

const usageRow = {
  table: 'usage_row',
  unique: ['request_id'],
  columns: [
    'request_id',
    'at',
    'account_id',
    'key_id',
    'model',
    'protocol',
    'group_id',
    'stream',
    'status',
    'reason',
    'cost_nano',
    'first_token_ms',
    'total_ms',
    'client_address',
    'client_request_id',
    'upstream_id',
    'upstream_request_id',
    'warnings',
  ],
}

/** Where the values of a record stand that the roll-up needs; those after the columns serve it alone. */
const place = {
  accountId: 2,
  keyId: 3,
  model: 4,
  protocol: 5,
  groupId: 6,
  costNano: 10,
  firstTokenMs: 11,
  totalMs: 12,
  hour: 18,
  errors: 19,
  firstTokens: 20,
  input: 21,
  cacheRead: 22,
  cacheWrite5m: 23,
  cacheWrite1h: 24,
  output: 25,
  reasoning: 26,
}

/** One row per request that passed authentication, and its share of the sums of its hour. */
export const usageShape = rowShape('usage-2', usageRow, {
  sums: [
    place.errors,
    place.input,
    place.cacheRead,
    place.cacheWrite5m,
    place.cacheWrite1h,
    place.output,
    place.reasoning,
    place.costNano,
    place.firstTokens,
    place.firstTokenMs,
    place.totalMs,
  ],
  by: [place.accountId, place.hour, place.keyId, place.model, place.groupId, place.protocol],
  statements: [addHour],
})

/**
 * The row as journals of version 0.1 have it, without the tokens: they are read back from the entry, which stands
 * before the row in every line.
 */
const firstUsageShape: Shape = {
  name: 'usage-1',
  statements: [
    {
      sql: rowShape('', usageRow).statements[0]?.sql ?? '',
      from: inOrder(usageRow.columns.length),
    },
    { sql: addHourOfRow, from: [0], when: [[0, 'changed']] },
  ],
}

/** One row per try, when there is more to tell than that the first one succeeded. */
export const attemptShape = rowShape('attempt-1', {
  table: 'attempt',
  unique: ['request_id', 'ordinal'],
  columns: [
    'request_id',
    'ordinal',
    'upstream_id',
    'status',
    'reason',
    'first_byte_ms',
    'total_ms',
  ],
})

/** All that a journal may hold for the log. */
export const usageShapes: readonly Shape[] = [firstUsageShape, usageShape, attemptShape]
