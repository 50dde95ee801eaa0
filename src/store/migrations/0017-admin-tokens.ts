import type { Migration } from './migration.ts'

/**
 * Tokens of the admin API. `maker_id` is the user whose rights limit the token at every use; null for a token of the
 * command line. `parent_id` is the token that created this one: revoking the parent revokes this token.
 */
export const adminTokens: Migration = {
  id: '0017-admin-tokens',
  statements: [
    `CREATE TABLE admin_token (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, value_hash TEXT NOT NULL UNIQUE, value_hint TEXT NOT NULL,
      scopes TEXT NOT NULL, account_id TEXT REFERENCES account(id), addresses TEXT, expires_at BIGINT,
      made_by TEXT NOT NULL, maker_id TEXT, parent_id TEXT REFERENCES admin_token(id),
      created_at BIGINT NOT NULL, used_at BIGINT, used_address TEXT, revoked_at BIGINT)`,
    'CREATE INDEX admin_token_created ON admin_token (created_at, id)',
    'CREATE INDEX admin_token_account ON admin_token (account_id, created_at, id)',
    'CREATE INDEX admin_token_parent ON admin_token (parent_id)',
  ],
}
