import type { Migration } from './migration.ts'

/**
 * Adds what the console needs: deleted keys that stay in the log, roles in an account, user preferences, second
 * factors, logins of an identity provider, details of sessions, and indexes for the audit log.
 */
export const consolePeople: Migration = {
  id: '0006-console',
  statements: [
    'ALTER TABLE api_key ADD COLUMN deleted_at BIGINT',
    "ALTER TABLE membership ADD COLUMN role TEXT NOT NULL DEFAULT 'member'",
    'CREATE INDEX membership_account ON membership (account_id, user_id)',
    'ALTER TABLE console_user ADD COLUMN suspended BIGINT NOT NULL DEFAULT 0',
    'ALTER TABLE console_user ADD COLUMN language TEXT',
    'ALTER TABLE console_user ADD COLUMN theme TEXT',
    'ALTER TABLE console_user ADD COLUMN seen_at BIGINT',
    'ALTER TABLE console_user ADD COLUMN totp_sealed TEXT',
    'ALTER TABLE console_user ADD COLUMN totp_wanted_sealed TEXT',
    'ALTER TABLE console_user ADD COLUMN totp_step BIGINT NOT NULL DEFAULT 0',
    "ALTER TABLE console_user ADD COLUMN recovery_hashes TEXT NOT NULL DEFAULT '[]'",
    'ALTER TABLE console_user ADD COLUMN open_id TEXT',
    'CREATE UNIQUE INDEX console_user_open_id ON console_user (open_id)',
    'ALTER TABLE session ADD COLUMN authenticated_at BIGINT NOT NULL DEFAULT 0',
    'ALTER TABLE session ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0',
    'ALTER TABLE session ADD COLUMN address TEXT',
    'ALTER TABLE session ADD COLUMN agent TEXT',
    'CREATE INDEX session_by_user ON session (user_id)',
    'CREATE INDEX audit_subject ON audit (subject, seq)',
    'CREATE INDEX audit_actor ON audit (actor, seq)',
  ],
}
