import type { Migration } from '../migration.ts'

/**
 * What entries cost whose set of counters does not exist yet, one sum for each set. It replaces an index with a row for
 * every entry under a budget. Former versions do not keep the sums, so they must not use the database any more.
 */
export const unclaimedCosts: Migration = {
  id: '0033-unclaimed-costs',
  statements: [
    `CREATE TABLE budget_unclaimed (
      set_id TEXT PRIMARY KEY, cost_nano BIGINT NOT NULL) $compact`,
    `INSERT INTO budget_unclaimed (set_id, cost_nano)
      SELECT budget_set, CAST(SUM(cost_nano) AS BIGINT) FROM entry
      WHERE budget_set IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM budget_set s WHERE s.set_id = entry.budget_set)
      GROUP BY budget_set`,
    'DROP INDEX entry_budget_set',
  ],
}
