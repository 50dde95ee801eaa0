import type { Migration } from './migration.ts'

/**
 * The owners of keys that have become service keys, so that what was spent with such a key before still counts for its
 * owner. The ids bound the requests in the hour in which the key became a service key.
 */
export const formerKeyOwners: Migration = {
  id: '0034-former-key-owners',
  isAdditive: true,
  statements: [
    `CREATE TABLE former_key_owner (
      key_id TEXT PRIMARY KEY REFERENCES api_key(id) ON DELETE CASCADE, account_id TEXT NOT NULL,
      user_id TEXT NOT NULL, until_at BIGINT NOT NULL, spent_nano BIGINT NOT NULL, hour_id TEXT NOT NULL,
      until_id TEXT NOT NULL) $compact`,
    'CREATE INDEX former_key_owner_user ON former_key_owner (user_id, account_id)',
  ],
}
