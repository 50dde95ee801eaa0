import type { Migration } from './migration.ts'

/**
 * Passkeys of users, and the open challenges of passkey sign-ins. A challenge belongs to the browser or the session that
 * asked for it (`holder_hash`) and is deleted when it is used, so that it works once on any replica. `rp_id` is the host
 * name that a passkey is bound to.
 */
export const passkeys: Migration = {
  id: '0027-passkeys',
  isAdditive: true,
  statements: [
    `CREATE TABLE passkey (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES console_user(id) ON DELETE CASCADE, name TEXT NOT NULL,
      rp_id TEXT NOT NULL, credential_id TEXT NOT NULL, public_key TEXT NOT NULL, counter BIGINT NOT NULL,
      transports TEXT NOT NULL, created_at BIGINT NOT NULL, used_at BIGINT)`,
    'CREATE UNIQUE INDEX passkey_credential ON passkey (credential_id)',
    'CREATE INDEX passkey_user ON passkey (user_id)',
    `CREATE TABLE passkey_challenge (
      challenge_hash TEXT PRIMARY KEY, purpose TEXT NOT NULL, holder_hash TEXT NOT NULL, expires_at BIGINT NOT NULL)`,
    'CREATE INDEX passkey_challenge_expiry ON passkey_challenge (expires_at)',
    'CREATE INDEX passkey_challenge_holder ON passkey_challenge (holder_hash)',
  ],
}
