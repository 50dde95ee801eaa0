import type { Migration } from './migration.ts'

const columns = ['requests_per_minute', 'tokens_per_minute', 'concurrent_requests']

/** Rate limits of accounts, groups, models, and of keys for single models, and how replicas share limits. */
export const moreRateLimits: Migration = {
  id: '0024-more-rate-limits',
  statements: [
    ...['account', 'service_group', 'model'].flatMap((table) =>
      columns.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column} BIGINT`),
    ),
    'ALTER TABLE api_key ADD COLUMN model_limits TEXT',
    `CREATE TABLE rate_demand (
      replica TEXT NOT NULL,
      name TEXT NOT NULL,
      demand BIGINT NOT NULL,
      earlier BIGINT NOT NULL,
      changed_at BIGINT NOT NULL,
      seen_at BIGINT NOT NULL,
      PRIMARY KEY (replica, name)
    )`,
    'CREATE INDEX rate_demand_seen ON rate_demand (seen_at)',
  ],
}
