import type { ShapeStatement } from '../store/units/shape.ts'

export const hourMs = 3_600_000

/** The fact with the first hour that may still have rows; see `sweepUsage`. */
export const floorFact = 'usage-floor'

/** The summed columns, in the order of the tallies. */
export const sums = [
  'requests',
  'errors',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cost_nano',
  'first_tokens',
  'first_token_ms',
  'total_ms',
] as const
const by = ['account_id', 'hour', 'key_id', 'model', 'group_id', 'protocol']

const insertInto = `INSERT INTO usage_hour (${[...sums, ...by].join(', ')})`
const orAdd = `ON CONFLICT (${by.join(', ')}) DO UPDATE SET
  ${sums.map((name) => `${name} = usage_hour.${name} + excluded.${name}`).join(', ')}`
/** A row that was deleted because of its age may return from an old journal; it is already counted then. */
export const isOpen = `>= COALESCE((SELECT CAST(value AS BIGINT) FROM fact WHERE name = '${floorFact}'), 0)`

export const modelOf = `CASE WHEN group_id IS NULL THEN '' ELSE COALESCE(model, '') END`

/** Sorted by the primary key, the order in which every process locks the rows. */
const addHours = `${insertInto}
  SELECT ${sums.map((name) => `CAST(SUM(${name}) AS BIGINT)`).join(', ')},
    account_id, hour, key_id, ${modelOf}, COALESCE(group_id, ''), protocol
  FROM json_to_recordset(CAST(CAST(? AS TEXT) AS JSON)) AS each (
    ${sums.map((name) => `${name} BIGINT`).join(', ')},
    account_id TEXT, hour BIGINT, key_id TEXT, model TEXT, group_id TEXT, protocol TEXT)
  WHERE hour ${isOpen}
  GROUP BY account_id, hour, key_id, ${modelOf}, COALESCE(group_id, ''), protocol
  ORDER BY account_id, hour, key_id, ${modelOf}, COALESCE(group_id, ''), protocol
  ${orAdd}`

/**
 * Adds the sums of one batch. A request without a group has no known model and is counted without a model name;
 * otherwise clients could create any number of sums with invented names.
 */
export const addHour: ShapeStatement = {
  sql: `${insertInto}
    SELECT ${sums.map(() => 'CAST(? AS BIGINT)').join(', ')},
      CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS TEXT),
      CASE WHEN CAST(? AS TEXT) IS NULL THEN '' ELSE COALESCE(CAST(? AS TEXT), '') END,
      COALESCE(CAST(? AS TEXT), ''), CAST(? AS TEXT)
    WHERE CAST(? AS BIGINT) ${isOpen}
    ${orAdd}`,
  from: [...sums.keys(), 12, 13, 14, 16, 15, 16, 17, 13],
  many: {
    sql: addHours,
    members: Object.fromEntries([...sums, ...by].map((name, index) => [name, index])),
  },
}

/** Adds one existing row, with the tokens of its entry. */
export const addHourOfRow = `${insertInto}
  SELECT 1, CASE WHEN u.reason IS NULL THEN 0 ELSE 1 END,
    COALESCE(e.input_tokens, 0), COALESCE(e.cache_read_tokens, 0), COALESCE(e.cache_write_5m_tokens, 0),
    COALESCE(e.cache_write_1h_tokens, 0), COALESCE(e.output_tokens, 0), COALESCE(e.reasoning_tokens, 0),
    u.cost_nano, CASE WHEN u.first_token_ms IS NULL THEN 0 ELSE 1 END, COALESCE(u.first_token_ms, 0),
    u.total_ms, u.account_id, u.at - u.at % ${hourMs}, u.key_id,
    CASE WHEN u.group_id IS NULL THEN '' ELSE COALESCE(u.model, '') END, COALESCE(u.group_id, ''), u.protocol
  FROM usage_row u LEFT JOIN entry e ON e.request_id = u.request_id
  WHERE u.request_id = ? AND u.at - u.at % ${hourMs} ${isOpen}
  ${orAdd}`
