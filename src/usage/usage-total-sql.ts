import type { ShapeStatement } from '../store/units/shape.ts'
import { hourMs, isOpen, modelOf, sums } from './usage-hour-sql.ts'

export const dayMs = 24 * hourMs

const by = ['span', 'at', 'model', 'group_id', 'protocol', 'stream', 'status', 'failed']

const insertInto = `INSERT INTO usage_total (${[...sums, ...by].join(', ')})`
const orAdd = `ON CONFLICT (${by.join(', ')}) DO UPDATE SET
  ${sums.map((name) => `${name} = usage_total.${name} + excluded.${name}`).join(', ')}`

const spans = `(SELECT 'hour' AS span, ${hourMs} AS span_ms UNION ALL SELECT 'day', ${dayMs}) AS spans`

/** An explained request has the text `explained` as its reason, and has not failed. */
const failedOf = (reason: string): string =>
  `CASE WHEN COALESCE(${reason}, 'explained') = 'explained' THEN 0 ELSE 1 END`

const totalColumns = ['hour', 'model', 'group_id', 'protocol', 'stream', 'status', 'reason']

/** Sorted by the primary key, the order in which every process locks the rows. */
const addTotals = `${insertInto}
  SELECT ${sums.map((name) => `CAST(SUM(${name}) AS BIGINT)`).join(', ')},
    span, hour - hour % span_ms, ${modelOf}, COALESCE(group_id, ''), protocol, stream, status,
    ${failedOf('reason')}
  FROM ${spans}, json_to_recordset(CAST(CAST(? AS TEXT) AS JSON)) AS each (
    ${sums.map((name) => `${name} BIGINT`).join(', ')},
    hour BIGINT, model TEXT, group_id TEXT, protocol TEXT, stream BIGINT, status BIGINT, reason TEXT)
  WHERE hour ${isOpen}
  GROUP BY ${by.map((_, index) => sums.length + index + 1).join(', ')}
  ORDER BY ${by.map((_, index) => sums.length + index + 1).join(', ')}
  ${orAdd}`

/**
 * Adds the sums of one batch to the sums over all accounts. Their number depends on models, groups, protocols and
 * outcomes, not on keys, so a batch of a thousand keys changes only a few.
 */
export const addTotal: ShapeStatement = {
  sql: `${insertInto}
    SELECT ${sums.map(() => 'CAST(? AS BIGINT)').join(', ')},
      span, CAST(? AS BIGINT) - CAST(? AS BIGINT) % span_ms,
      CASE WHEN CAST(? AS TEXT) IS NULL THEN '' ELSE COALESCE(CAST(? AS TEXT), '') END,
      COALESCE(CAST(? AS TEXT), ''), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT),
      ${failedOf('CAST(? AS TEXT)')}
    FROM ${spans}
    WHERE CAST(? AS BIGINT) ${isOpen}
    ${orAdd}`,
  from: [...sums.keys(), 12, 12, 14, 13, 14, 15, 16, 17, 18, 12],
  many: {
    sql: addTotals,
    members: Object.fromEntries([...sums, ...totalColumns].map((name, index) => [name, index])),
  },
}

/** Adds one existing row, with the tokens of its entry. */
export const addTotalOfRow = `${insertInto}
  SELECT 1, ${failedOf('u.reason')},
    COALESCE(e.input_tokens, 0), COALESCE(e.cache_read_tokens, 0), COALESCE(e.cache_write_5m_tokens, 0),
    COALESCE(e.cache_write_1h_tokens, 0), COALESCE(e.output_tokens, 0), COALESCE(e.reasoning_tokens, 0),
    u.cost_nano, CASE WHEN u.first_token_ms IS NULL THEN 0 ELSE 1 END, COALESCE(u.first_token_ms, 0),
    u.total_ms, span, u.at - u.at % span_ms,
    CASE WHEN u.group_id IS NULL THEN '' ELSE COALESCE(u.model, '') END, COALESCE(u.group_id, ''),
    u.protocol, u.stream, u.status, ${failedOf('u.reason')}
  FROM ${spans}, usage_row u LEFT JOIN entry e ON e.request_id = u.request_id
  WHERE u.request_id = ? AND u.at - u.at % ${hourMs} ${isOpen}
  ${orAdd}`
