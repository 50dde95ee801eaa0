import type { Migration } from './migration.ts'

const sums = `requests BIGINT NOT NULL, errors BIGINT NOT NULL, input_tokens BIGINT NOT NULL,
      cache_read_tokens BIGINT NOT NULL, cache_write_5m_tokens BIGINT NOT NULL,
      cache_write_1h_tokens BIGINT NOT NULL, output_tokens BIGINT NOT NULL,
      reasoning_tokens BIGINT NOT NULL, cost_nano BIGINT NOT NULL, first_tokens BIGINT NOT NULL,
      first_token_ms BIGINT NOT NULL, total_ms BIGINT NOT NULL`

const sumsAdded = [
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
]
  .map((name) => `CAST(SUM(${name}) AS BIGINT)`)
  .join(', ')

const floor = `COALESCE((SELECT CAST(value AS BIGINT) FROM fact WHERE name = 'usage-floor'), 0)`

/**
 * Adds sums over all accounts and keys, by hour and by day, so that reading them is as fast as reading those of one
 * account. These sums also distinguish streams and outcomes. They are counted from the log; hours without rows are
 * taken from their hourly sums, with a stream and status value that no request has. Adds indexes for the console:
 * failed requests of all accounts; leases and keys of one account; names of keys; audit rows by time. The condition of
 * the first index fits only queries over all accounts: otherwise Postgres would use the index for one account, too.
 */
export const totals: Migration = {
  id: '0007-totals',
  statements: [
    `CREATE TABLE usage_total (
      span TEXT NOT NULL, at BIGINT NOT NULL, model TEXT NOT NULL, group_id TEXT NOT NULL,
      protocol TEXT NOT NULL, stream BIGINT NOT NULL, status BIGINT NOT NULL, failed BIGINT NOT NULL,
      ${sums},
      PRIMARY KEY (span, at, model, group_id, protocol, stream, status, failed)) $compact`,
    `INSERT INTO usage_total
      SELECT 'hour', u.at - u.at % 3600000, CASE WHEN u.group_id IS NULL THEN '' ELSE COALESCE(u.model, '') END,
        COALESCE(u.group_id, ''), u.protocol, u.stream, u.status, CASE WHEN u.reason IS NULL THEN 0 ELSE 1 END,
        COUNT(*), CAST(SUM(CASE WHEN u.reason IS NULL OR u.reason = 'explained' THEN 0 ELSE 1 END) AS BIGINT),
        CAST(SUM(COALESCE(e.input_tokens, 0)) AS BIGINT),
        CAST(SUM(COALESCE(e.cache_read_tokens, 0)) AS BIGINT),
        CAST(SUM(COALESCE(e.cache_write_5m_tokens, 0)) AS BIGINT),
        CAST(SUM(COALESCE(e.cache_write_1h_tokens, 0)) AS BIGINT),
        CAST(SUM(COALESCE(e.output_tokens, 0)) AS BIGINT),
        CAST(SUM(COALESCE(e.reasoning_tokens, 0)) AS BIGINT),
        CAST(SUM(u.cost_nano) AS BIGINT), COUNT(u.first_token_ms),
        CAST(SUM(COALESCE(u.first_token_ms, 0)) AS BIGINT), CAST(SUM(u.total_ms) AS BIGINT)
      FROM usage_row u LEFT JOIN entry e ON e.request_id = u.request_id
      WHERE u.at - u.at % 3600000 >= ${floor}
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`,
    `INSERT INTO usage_total
      SELECT 'hour', hour, model, group_id, protocol, -1, 0, 0, ${sumsAdded}
      FROM usage_hour WHERE hour < ${floor}
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`,
    `INSERT INTO usage_total
      SELECT 'day', at - at % 86400000, model, group_id, protocol, stream, status, failed, ${sumsAdded}
      FROM usage_total WHERE span = 'hour'
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`,
    "CREATE INDEX usage_row_failed ON usage_row (request_id) WHERE reason > ''",
    'CREATE INDEX lease_account ON lease (account_id)',
    {
      sqlite: `ALTER TABLE api_key ADD COLUMN search_text TEXT
        GENERATED ALWAYS AS (lower(name || char(10) || value_hint)) VIRTUAL`,
      postgres: `ALTER TABLE api_key ADD COLUMN search_text TEXT
        GENERATED ALWAYS AS (lower(name || chr(10) || value_hint)) STORED`,
    },
    'CREATE INDEX api_key_alive ON api_key (account_id, id) WHERE deleted_at IS NULL',
    'CREATE INDEX api_key_search ON api_key (id, search_text) WHERE deleted_at IS NULL',
    'CREATE INDEX audit_at ON audit (at, seq)',
  ],
}
