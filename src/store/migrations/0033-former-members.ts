import type { Migration } from './migration.ts'

/**
 * The limits of people who have left an account, so that nobody gets rid of a limit by leaving and coming back. A login
 * that was deleted has a successor once the same address is a member again; the spending of both counts together.
 */
export const formerMembers: Migration = {
  id: '0033-former-members',
  isAdditive: true,
  statements: [
    `CREATE TABLE former_member (
      user_id TEXT NOT NULL, account_id TEXT NOT NULL REFERENCES account(id) ON DELETE CASCADE, email TEXT NOT NULL,
      successor_id TEXT, total_nano BIGINT, daily_nano BIGINT, weekly_nano BIGINT, monthly_nano BIGINT,
      budget_zone TEXT NOT NULL, budget_month_day BIGINT NOT NULL, budget_alert_percent BIGINT,
      budget_version BIGINT NOT NULL, budget_since BIGINT NOT NULL, requests_per_minute BIGINT,
      tokens_per_minute BIGINT, concurrent_requests BIGINT, PRIMARY KEY (user_id, account_id))`,
    'CREATE INDEX former_member_email ON former_member (account_id, email) WHERE successor_id IS NULL',
    'CREATE INDEX former_member_successor ON former_member (successor_id, account_id) WHERE successor_id IS NOT NULL',
  ],
}
