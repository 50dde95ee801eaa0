import type { Migration } from './migration.ts'

/**
 * The costs of entries whose set of counters does not exist, which the set is charged with when it is created. They
 * replace an index of all entries by set, which only a restored database needed. A former version finds the same
 * entries without the index, by reading all of them.
 */
export const uncountedCosts: Migration = {
  id: '0035-uncounted-costs',
  isAdditive: true,
  statements: [
    'CREATE TABLE uncounted_cost (set_id TEXT PRIMARY KEY, cost_nano BIGINT NOT NULL) $compact',
    `INSERT INTO uncounted_cost (set_id, cost_nano)
      SELECT budget_set, CAST(SUM(cost_nano) AS BIGINT) FROM entry
      WHERE budget_set IS NOT NULL AND NOT EXISTS (SELECT 1 FROM budget_set s WHERE s.set_id = entry.budget_set)
      GROUP BY budget_set`,
    'DROP INDEX entry_budget_set',
  ],
}
