import type { Migration } from './migration.ts'

/** Groups choose what happens to fields that an upstream does not support; responses can be stored. */
export const protocols: Migration = {
  id: '0002-protocols',
  statements: [
    "ALTER TABLE service_group ADD COLUMN unsupported TEXT NOT NULL DEFAULT 'drop'",
    `CREATE TABLE stored_response (
      id TEXT PRIMARY KEY, key_id TEXT NOT NULL, model TEXT NOT NULL, upstream_id TEXT,
      content_sealed TEXT, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL)`,
    'CREATE INDEX stored_response_expires ON stored_response (expires_at)',
  ],
}
