import type { Migration } from './migration.ts'

/** Stores the answers to requests with an idempotency key, so that a repeated request changes nothing twice. */
export const idempotency: Migration = {
  id: '0018-idempotency',
  statements: [
    `CREATE TABLE admin_idempotency (
      caller TEXT NOT NULL, key TEXT NOT NULL, request_hash TEXT NOT NULL, status BIGINT NOT NULL,
      body TEXT NOT NULL, at BIGINT NOT NULL, PRIMARY KEY (caller, key)) $compact`,
    'CREATE INDEX admin_idempotency_at ON admin_idempotency (at)',
  ],
}
