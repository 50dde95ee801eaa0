import type { Migration } from './migration.ts'

/**
 * A limit that is set within a period also counts what was spent earlier in this period: when the owner got its present
 * kinds of limits and calendar, and what a counter took over from before that.
 */
export const earlierSpending: Migration = {
  id: '0030-earlier-spending',
  isAdditive: true,
  statements: [
    ...['api_key', 'account', 'membership'].map(
      (table) => `ALTER TABLE ${table} ADD COLUMN budget_since BIGINT NOT NULL DEFAULT 0`,
    ),
    'ALTER TABLE budget_counter ADD COLUMN since_at BIGINT',
    'ALTER TABLE budget_counter ADD COLUMN earlier_nano BIGINT NOT NULL DEFAULT 0',
    'CREATE INDEX budget_counter_since ON budget_counter (since_at) WHERE since_at IS NOT NULL',
  ],
}
