import { isUnbudgeted } from './0020-budgets.ts'
import type { Migration } from './migration.ts'

const hasLimits = `(m.total_nano IS NOT NULL OR m.daily_nano IS NOT NULL
  OR m.weekly_nano IS NOT NULL OR m.monthly_nano IS NOT NULL)`

const isUnbudgetedMember = `NEW.budget_set IS NULL AND EXISTS (
  SELECT 1 FROM api_key k
  JOIN membership m ON m.account_id = k.account_id AND m.user_id = k.owner_user_id
  WHERE k.id = NEW.key_id AND ${hasLimits})`

const isRefused = `(${isUnbudgeted}) OR (${isUnbudgetedMember})`

/**
 * The trigger of `0020-budgets` also covers the budgets of members, since keys have owners. The index finds the entries
 * of a set of counters, which a grant needs after the database was restored from a backup.
 */
export const memberBudgets: Migration = {
  id: '0022-member-budgets',
  statements: [
    'CREATE INDEX entry_budget_set ON entry (budget_set) WHERE budget_set IS NOT NULL',
    { sqlite: 'DROP TRIGGER lease_without_budgets' },
    {
      sqlite: `CREATE TRIGGER lease_without_budgets BEFORE INSERT ON lease WHEN ${isRefused}
        BEGIN SELECT RAISE(IGNORE); END`,
      postgres: `CREATE OR REPLACE FUNCTION refuse_lease_without_budgets() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN IF ${isRefused} THEN RETURN NULL; END IF; RETURN NEW; END'`,
    },
  ],
}
