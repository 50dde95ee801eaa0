import type { Migration } from './migration.ts'

const by = ['span', 'at', 'model', 'group_id', 'protocol', 'stream', 'status']

const sums = [
  'requests',
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
]

/**
 * A request that was only explained has a text in the column of the failure reason, so the sums over all accounts
 * counted it as failed, though not as an error. It is moved to the successful ones. The condition on `reason` that
 * looks redundant matches an index. The column names are repeated here because a migration must not change with later
 * code.
 */
export const explained: Migration = {
  id: '0009-explained',
  statements: [
    `CREATE TABLE explained_total AS
      SELECT spans.span AS span, u.at - u.at % spans.span_ms AS at,
        CASE WHEN u.group_id IS NULL THEN '' ELSE COALESCE(u.model, '') END AS model,
        COALESCE(u.group_id, '') AS group_id, u.protocol AS protocol, u.stream AS stream, u.status AS status,
        COUNT(*) AS requests,
        CAST(SUM(COALESCE(e.input_tokens, 0)) AS BIGINT) AS input_tokens,
        CAST(SUM(COALESCE(e.cache_read_tokens, 0)) AS BIGINT) AS cache_read_tokens,
        CAST(SUM(COALESCE(e.cache_write_5m_tokens, 0)) AS BIGINT) AS cache_write_5m_tokens,
        CAST(SUM(COALESCE(e.cache_write_1h_tokens, 0)) AS BIGINT) AS cache_write_1h_tokens,
        CAST(SUM(COALESCE(e.output_tokens, 0)) AS BIGINT) AS output_tokens,
        CAST(SUM(COALESCE(e.reasoning_tokens, 0)) AS BIGINT) AS reasoning_tokens,
        CAST(SUM(u.cost_nano) AS BIGINT) AS cost_nano, COUNT(u.first_token_ms) AS first_tokens,
        CAST(SUM(COALESCE(u.first_token_ms, 0)) AS BIGINT) AS first_token_ms,
        CAST(SUM(u.total_ms) AS BIGINT) AS total_ms
      FROM usage_row u
      CROSS JOIN (SELECT 'hour' AS span, 3600000 AS span_ms UNION ALL SELECT 'day', 86400000) AS spans
      LEFT JOIN entry e ON e.request_id = u.request_id
      WHERE u.reason > '' AND u.reason = 'explained' AND u.at - u.at % 3600000 >=
        COALESCE((SELECT CAST(value AS BIGINT) FROM fact WHERE name = 'usage-floor'), 0)
      GROUP BY 1, 2, 3, 4, 5, 6, 7`,
    `UPDATE usage_total SET ${sums.map((name) => `${name} = usage_total.${name} - moved.${name}`).join(', ')}
      FROM explained_total AS moved
      WHERE usage_total.failed = 1
        AND ${by.map((name) => `usage_total.${name} = moved.${name}`).join(' AND ')}`,
    `INSERT INTO usage_total (${[...by, ...sums].join(', ')}, failed, errors)
      SELECT ${[...by, ...sums].join(', ')}, 0, 0 FROM explained_total WHERE requests > 0
      ON CONFLICT (${by.join(', ')}, failed) DO UPDATE SET
        ${sums.map((name) => `${name} = usage_total.${name} + excluded.${name}`).join(', ')}`,
    'DELETE FROM usage_total WHERE failed = 1 AND requests = 0',
    'DROP TABLE explained_total',
  ],
}
