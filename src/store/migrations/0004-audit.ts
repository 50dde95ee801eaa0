import type { Migration } from './migration.ts'

/** Adds the progress of the self-audit, and the accounts whose balances do not add up. */
export const audit: Migration = {
  id: '0004-audit',
  statements: [
    `CREATE TABLE audit_state (
      name TEXT PRIMARY KEY, at BIGINT NOT NULL, through TEXT NOT NULL, after_account TEXT NOT NULL,
      after_key TEXT NOT NULL)`,
    `CREATE TABLE audit_point (
      key_id TEXT PRIMARY KEY, cost_nano BIGINT NOT NULL, entries BIGINT NOT NULL) $compact`,
    `CREATE TABLE audit_stop (
      account_id TEXT PRIMARY KEY, found_at BIGINT NOT NULL, findings TEXT NOT NULL,
      released_at BIGINT)`,
  ],
}
