import type { Migration } from '../migration.ts'

const columns = ['requests_per_minute', 'tokens_per_minute', 'concurrent_requests']

/** Rate limits of the members of an account. */
export const memberLimits: Migration = {
  id: '0028-member-limits',
  statements: columns.map((column) => `ALTER TABLE membership ADD COLUMN ${column} BIGINT`),
}
