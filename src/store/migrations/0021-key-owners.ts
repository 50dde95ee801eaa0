import type { Migration } from './migration.ts'

/**
 * The user that a key belongs to. Null means a service key of the account, which every existing key becomes. The column
 * keeps the id of a deleted user, so that the key of a former member never turns into a service key by itself.
 * `stopped` is 1 once the owner has left the account: the key has lost its value then. `retired_value` has the hashes of
 * such values, which no key may ever have again. `locked` is 1 while only owners of the account may change the settings.
 */
export const keyOwners: Migration = {
  id: '0021-key-owners',
  statements: [
    'ALTER TABLE api_key ADD COLUMN owner_user_id TEXT',
    'ALTER TABLE api_key ADD COLUMN stopped BIGINT NOT NULL DEFAULT 0',
    'ALTER TABLE api_key ADD COLUMN locked BIGINT NOT NULL DEFAULT 0',
    `CREATE INDEX api_key_owner ON api_key (owner_user_id, account_id, id)
      WHERE owner_user_id IS NOT NULL`,
    'CREATE INDEX stored_response_key ON stored_response (key_id)',
    'CREATE TABLE retired_value (value_hash TEXT PRIMARY KEY, key_id TEXT NOT NULL) $compact',
  ],
}
