import type { Migration } from './migration.ts'

const limits = ['daily_nano BIGINT', 'weekly_nano BIGINT', 'monthly_nano BIGINT']
const rules = [
  `budget_zone TEXT NOT NULL DEFAULT 'UTC'`,
  'budget_month_day BIGINT NOT NULL DEFAULT 1',
  'budget_alert_percent BIGINT',
  'budget_version BIGINT NOT NULL DEFAULT 0',
]

function columnsOf(table: string, columns: readonly string[]): string[] {
  return columns.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column}`)
}

/** A replica of an earlier version asks for a lease where a budget of the key or the account applies. */
export const isUnbudgeted = `NEW.budget_set IS NULL AND (
  EXISTS (SELECT 1 FROM api_key WHERE id = NEW.key_id AND
    (daily_nano IS NOT NULL OR weekly_nano IS NOT NULL OR monthly_nano IS NOT NULL))
  OR EXISTS (SELECT 1 FROM account WHERE id = NEW.account_id AND (total_nano IS NOT NULL
    OR daily_nano IS NOT NULL OR weekly_nano IS NOT NULL OR monthly_nano IS NOT NULL)))`

/**
 * Budgets: the limits of their owners, one counter for each limit and period, and the sets of counters that leases and
 * entries name. `lease.budget_set` is the empty text when no limit applies; a null comes from a replica of an earlier
 * version. Such a replica knows no budgets, so the trigger creates no lease for it where a budget applies: it then
 * refuses the request instead of spending beyond a budget.
 */
export const budgets: Migration = {
  id: '0020-budgets',
  statements: [
    ...columnsOf('api_key', [...limits, ...rules]),
    ...columnsOf('account', ['total_nano BIGINT', ...limits, ...rules]),
    ...columnsOf('membership', ['total_nano BIGINT', ...limits, ...rules]),
    `CREATE TABLE budget_counter (
      id TEXT PRIMARY KEY, account_id TEXT NOT NULL, owner_kind TEXT NOT NULL, owner_id TEXT NOT NULL,
      period TEXT NOT NULL, starts_at BIGINT NOT NULL, ends_at BIGINT, limit_nano BIGINT NOT NULL,
      alert_nano BIGINT, available_nano BIGINT NOT NULL, spent_nano BIGINT NOT NULL) $compact`,
    'CREATE INDEX budget_counter_account ON budget_counter (account_id, ends_at)',
    'CREATE INDEX budget_counter_alert ON budget_counter (ends_at) WHERE alert_nano IS NOT NULL',
    `CREATE TABLE budget_set (
      set_id TEXT NOT NULL, counter_id TEXT NOT NULL, PRIMARY KEY (set_id, counter_id)) $compact`,
    'CREATE INDEX budget_set_counter ON budget_set (counter_id, set_id)',
    `CREATE TABLE budget_crossing (
      seq $serial, counter_id TEXT NOT NULL, alert_nano BIGINT NOT NULL, spent_nano BIGINT NOT NULL,
      UNIQUE (counter_id, alert_nano))`,
    'ALTER TABLE lease ADD COLUMN budget_set TEXT',
    'ALTER TABLE entry ADD COLUMN budget_set TEXT',
    {
      sqlite: `CREATE TRIGGER lease_without_budgets BEFORE INSERT ON lease WHEN ${isUnbudgeted}
        BEGIN SELECT RAISE(IGNORE); END`,
      postgres: `CREATE FUNCTION refuse_lease_without_budgets() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN IF ${isUnbudgeted.replaceAll("'", "''")} THEN RETURN NULL; END IF; RETURN NEW; END'`,
    },
    {
      postgres: `CREATE TRIGGER lease_without_budgets BEFORE INSERT ON lease
        FOR EACH ROW EXECUTE FUNCTION refuse_lease_without_budgets()`,
    },
  ],
}
