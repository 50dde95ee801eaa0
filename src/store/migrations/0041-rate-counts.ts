import type { Migration } from './migration.ts'

/**
 * Small rate limits that several processes share. A former version divides them as before, and the others then do so
 * too. Without an index of the time, which changes with each count.
 */
export const rateCounts: Migration = {
  id: '0041-rate-counts',
  statements: [
    `CREATE TABLE rate_count (
      name TEXT NOT NULL PRIMARY KEY,
      requests_left_ms DOUBLE PRECISION NOT NULL,
      tokens_left_ms DOUBLE PRECISION NOT NULL,
      places TEXT NOT NULL,
      counted_at BIGINT NOT NULL
    )`,
  ],
  isAdditive: true,
}
