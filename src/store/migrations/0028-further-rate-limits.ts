import type { Migration } from './migration.ts'

const columns = ['requests_per_minute', 'tokens_per_minute', 'concurrent_requests']

/** Rate limits of the members of an account, and of the credentials of an upstream. */
export const furtherRateLimits: Migration = {
  id: '0028-further-rate-limits',
  isAdditive: true,
  statements: ['membership', 'upstream_credential'].flatMap((table) =>
    columns.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column} BIGINT`),
  ),
}
