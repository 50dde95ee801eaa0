import type { Migration } from '../migration.ts'

/**
 * What the self-audit has found, as data. `audit_stop.findings` has it in words, for replicas of the former version; a
 * stop of that version is shown in its own words until the next turn of the self-audit, a minute later.
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
