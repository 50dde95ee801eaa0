import type { Migration } from './migration.ts'

/**
 * A message that is sent again after it was given up is a new row that names the first one. A former version sends it,
 * too, but with another delivery id. The index finds the keys whose budgets are watched.
 */
export const repeatedMessages: Migration = {
  id: '0040-repeated-messages',
  statements: [
    'ALTER TABLE outbox ADD COLUMN first_seq BIGINT',
    'CREATE INDEX outbox_first ON outbox (first_seq) WHERE first_seq IS NOT NULL',
    'CREATE INDEX api_key_alert ON api_key (id) WHERE budget_alert_percent IS NOT NULL',
  ],
  isAdditive: true,
}
