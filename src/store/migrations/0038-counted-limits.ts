import type { Migration } from './migration.ts'

/**
 * Counters are no longer named after the moment at which their limits were set, so a change of one kind of limit leaves
 * the counters of the others as they are. `budget_kinds_at` is that moment now. A counter remembers for which of these
 * moments it was raised to everything that was spent in its period. `budget_since` keeps the value that the former
 * version gave it, because counters of that version have it in their ids.
 */
export const countedLimits: Migration = {
  id: '0038-counted-limits',
  isAdditive: true,
  statements: [
    ...['api_key', 'account', 'membership', 'former_member'].map(
      (table) => `ALTER TABLE ${table} ADD COLUMN budget_kinds_at BIGINT NOT NULL DEFAULT 0`,
    ),
    'ALTER TABLE budget_counter ADD COLUMN counted_for BIGINT',
    'CREATE INDEX budget_counter_counted ON budget_counter (counted_for) WHERE counted_for IS NOT NULL',
  ],
}
