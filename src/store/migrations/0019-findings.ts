import type { Migration } from './migration.ts'

/**
 * The findings of the self-audit as data. `audit_stop.findings` has the text, for replicas of the previous version. A
 * stop of that version is shown with its own text until the next turn of the self-audit, a minute later.
 */
export const findings: Migration = {
  id: '0019-findings',
  statements: [
    `CREATE TABLE audit_finding (
      account_id TEXT NOT NULL REFERENCES audit_stop(account_id) ON DELETE CASCADE,
      kind TEXT NOT NULL, subject TEXT NOT NULL, difference_nano BIGINT NOT NULL,
      PRIMARY KEY (account_id, kind, subject)) $compact`,
  ],
}
