import type { Migration } from './migration.ts'

/**
 * Recorded bodies of requests and responses, sealed. The policy of an account says what is recorded and who may read it;
 * its row is locked by whoever writes or deletes recordings, so that the sum of their sizes is exact. An erasure stops
 * recordings that another process has yet to write.
 */
export const recordings: Migration = {
  id: '0031-recordings',
  isAdditive: true,
  statements: [
    `CREATE TABLE recording_policy (
      account_id TEXT PRIMARY KEY REFERENCES account(id) ON DELETE CASCADE, scope TEXT NOT NULL, key_ids TEXT NOT NULL,
      readers TEXT NOT NULL, operators BIGINT NOT NULL, retention_days BIGINT NOT NULL,
      stored_bytes BIGINT NOT NULL DEFAULT 0)`,
    `CREATE TABLE recording (
      request_id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account(id) ON DELETE CASCADE,
      key_id TEXT NOT NULL, protocol TEXT NOT NULL, model TEXT, status BIGINT NOT NULL, end_user_hash TEXT,
      other_user_hash TEXT, request_bytes BIGINT NOT NULL, response_bytes BIGINT NOT NULL,
      stored_bytes BIGINT NOT NULL, content_sealed TEXT NOT NULL)`,
    'CREATE INDEX recording_account ON recording (account_id, request_id)',
    `CREATE INDEX recording_end_user ON recording (account_id, end_user_hash) WHERE end_user_hash IS NOT NULL`,
    `CREATE INDEX recording_other_user ON recording (account_id, other_user_hash) WHERE other_user_hash IS NOT NULL`,
    `CREATE TABLE recording_erasure (
      account_id TEXT NOT NULL, user_hash TEXT NOT NULL, at BIGINT NOT NULL, PRIMARY KEY (account_id, user_hash))`,
  ],
}
