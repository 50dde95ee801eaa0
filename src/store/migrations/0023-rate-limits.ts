import type { Migration } from './migration.ts'

/** Rate limits of keys. A replica of the previous version does not enforce them. */
export const rateLimits: Migration = {
  id: '0023-rate-limits',
  statements: [
    'ALTER TABLE api_key ADD COLUMN requests_per_minute BIGINT',
    'ALTER TABLE api_key ADD COLUMN tokens_per_minute BIGINT',
    'ALTER TABLE api_key ADD COLUMN concurrent_requests BIGINT',
  ],
}
