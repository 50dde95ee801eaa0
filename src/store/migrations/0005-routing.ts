import type { Migration } from './migration.ts'

/**
 * Upstreams get several credentials, each bound to the host it was entered for, and settings of their own. Groups can
 * be restricted and can have fallback models. Routes can change parameters. The log names the credential used and the
 * reason. The existing credential of an upstream becomes its first; the old column stays, and is kept up to date, for
 * processes of the previous version.
 */
export const routing: Migration = {
  id: '0005-routing',
  statements: [
    "ALTER TABLE upstream ADD COLUMN settings TEXT NOT NULL DEFAULT '{}'",
    'ALTER TABLE upstream ADD COLUMN proxy_sealed TEXT',
    'ALTER TABLE upstream ADD COLUMN enabled BIGINT NOT NULL DEFAULT 1',
    `CREATE TABLE upstream_credential (
      id TEXT PRIMARY KEY, upstream_id TEXT NOT NULL REFERENCES upstream(id), name TEXT NOT NULL,
      value_sealed TEXT NOT NULL, hint TEXT NOT NULL, origin TEXT NOT NULL, enabled BIGINT NOT NULL,
      created_at BIGINT NOT NULL, UNIQUE (upstream_id, name))`,
    `INSERT INTO upstream_credential
        (id, upstream_id, name, value_sealed, hint, origin, enabled, created_at)
      SELECT 'cred_' || id, id, 'first', credential_sealed, '', base_url, 1, created_at
      FROM upstream WHERE credential_sealed IS NOT NULL`,
    'ALTER TABLE service_group ADD COLUMN restricted BIGINT NOT NULL DEFAULT 0',
    "ALTER TABLE service_group ADD COLUMN fallbacks TEXT NOT NULL DEFAULT '{}'",
    `CREATE TABLE group_grant (
      group_id TEXT NOT NULL REFERENCES service_group(id),
      account_id TEXT NOT NULL REFERENCES account(id), ends_at BIGINT,
      PRIMARY KEY (group_id, account_id))`,
    'ALTER TABLE route ADD COLUMN parameters TEXT',
    'ALTER TABLE attempt ADD COLUMN credential TEXT',
    'ALTER TABLE attempt ADD COLUMN note TEXT',
    'ALTER TABLE usage_row ADD COLUMN credential TEXT',
    'ALTER TABLE usage_row ADD COLUMN note TEXT',
    'ALTER TABLE usage_row ADD COLUMN first_byte_ms BIGINT',
  ],
}
