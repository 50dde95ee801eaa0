import { inOrder, type RowOfShape, rowShape, type Shape, type Tally } from '../store/units/shape.ts'
import { addHour, addHourOfRow } from './usage-hour-sql.ts'
import { addTotal, addTotalOfRow } from './usage-total-sql.ts'

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

/** Includes the single successful attempt, which has no row of its own. */
const attemptedRow = {
  ...usageRow,
  columns: [...usageRow.columns, 'credential', 'note', 'first_byte_ms'],
}

/** Includes how long the request waited for an upstream. */
const queuedRow = { ...attemptedRow, columns: [...attemptedRow.columns, 'queued_ms'] }

const tokens = [
  'input',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'output',
  'reasoning',
] as const

/** The values after the columns are only for the sums, in this order. */
const tallied = ['hour', 'errors', 'firstTokens', ...tokens] as const

function talliedShape(name: string, row: RowOfShape): Shape {
  const at = (column: string) => row.columns.indexOf(column)
  const after = (value: (typeof tallied)[number]) => row.columns.length + tallied.indexOf(value)
  const sums = [
    after('errors'),
    ...tokens.map(after),
    at('cost_nano'),
    after('firstTokens'),
    at('first_token_ms'),
    at('total_ms'),
  ]
  const named = [at('model'), at('group_id'), at('protocol')]
  const hourly: Tally = {
    sums,
    by: [at('account_id'), after('hour'), at('key_id'), ...named],
    statements: [addHour],
  }
  const total: Tally = {
    sums,
    by: [after('hour'), ...named, at('stream'), at('status'), at('reason')],
    statements: [addTotal],
  }
  return { ...rowShape(name, row, hourly, total), writtenBy: at('key_id') }
}

/**
 * One row per request that passed authentication, which also counts in the sums of its hour and in the sums over all
 * accounts.
 */
export const usageShape = talliedShape('usage-4', queuedRow)

/** The shape from before requests could wait. */
const thirdUsageShape = talliedShape('usage-3', attemptedRow)

/** The shape from before attempts had a credential and a note. */
const secondUsageShape = talliedShape('usage-2', usageRow)

/**
 * The row in journals of version 0.1, without tokens. They are read from the entry, which precedes the row in every
 * line.
 */
const firstUsageShape: Shape = {
  name: 'usage-1',
  statements: [
    {
      sql: rowShape('', usageRow).statements[0]?.sql ?? '',
      from: inOrder(usageRow.columns.length),
    },
    { sql: addHourOfRow, from: [0], when: [[0, 'changed']] },
    { sql: addTotalOfRow, from: [0], when: [[0, 'changed']] },
  ],
}

const attemptRow = {
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
}

/** One row per attempt, unless the only attempt succeeded. */
export const attemptShape = rowShape('attempt-2', {
  ...attemptRow,
  columns: [...attemptRow.columns, 'credential', 'note'],
})

const firstAttemptShape = rowShape('attempt-1', attemptRow)

/** All shapes of the log that a journal may contain; shapes of earlier versions stay. */
export const usageShapes: readonly Shape[] = [
  firstUsageShape,
  secondUsageShape,
  thirdUsageShape,
  usageShape,
  firstAttemptShape,
  attemptShape,
]
