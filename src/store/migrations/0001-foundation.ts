import type { Migration } from './migration.ts'

/** The first schema. `$serial` and `$compact` stand for the only words that differ between the engines. */
export const foundation: Migration = {
  id: '0001-foundation',
  statements: [
    `CREATE TABLE account (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, status TEXT NOT NULL, ends_at BIGINT,
      available_nano BIGINT NOT NULL, created_at BIGINT NOT NULL)`,
    `CREATE TABLE console_user (
      id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, password_hash TEXT, role TEXT NOT NULL,
      created_at BIGINT NOT NULL)`,
    `CREATE TABLE membership (
      user_id TEXT NOT NULL REFERENCES console_user(id), account_id TEXT NOT NULL REFERENCES account(id),
      PRIMARY KEY (user_id, account_id))`,
    `CREATE TABLE service_group (
      id TEXT PRIMARY KEY, factor_micro BIGINT NOT NULL, created_at BIGINT NOT NULL)`,
    `CREATE TABLE model (
      id TEXT PRIMARY KEY, display_name TEXT NOT NULL, owned_by TEXT NOT NULL, context_tokens BIGINT,
      max_output_tokens BIGINT NOT NULL, created_at BIGINT NOT NULL)`,
    `CREATE TABLE price_version (
      id TEXT PRIMARY KEY, model_id TEXT NOT NULL REFERENCES model(id), valid_from BIGINT NOT NULL,
      input_nano BIGINT NOT NULL, cache_read_nano BIGINT NOT NULL, cache_write_5m_nano BIGINT NOT NULL,
      cache_write_1h_nano BIGINT NOT NULL, output_nano BIGINT NOT NULL, request_nano BIGINT NOT NULL)`,
    'CREATE INDEX price_version_model ON price_version (model_id, valid_from)',
    `CREATE TABLE upstream (
      id TEXT PRIMARY KEY, vendor TEXT NOT NULL, protocol TEXT NOT NULL, base_url TEXT NOT NULL,
      credential_sealed TEXT, created_at BIGINT NOT NULL)`,
    `CREATE TABLE route (
      group_id TEXT NOT NULL REFERENCES service_group(id), model_id TEXT NOT NULL REFERENCES model(id),
      upstream_id TEXT NOT NULL REFERENCES upstream(id), upstream_model TEXT NOT NULL,
      priority BIGINT NOT NULL, weight BIGINT NOT NULL, PRIMARY KEY (group_id, model_id, upstream_id))`,
    `CREATE TABLE api_key (
      id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account(id), name TEXT NOT NULL,
      value_hash TEXT NOT NULL UNIQUE, value_sealed TEXT NOT NULL, value_hint TEXT NOT NULL,
      imported BIGINT NOT NULL, groups TEXT NOT NULL, models TEXT, addresses TEXT, quota_nano BIGINT, available_nano BIGINT,
      spent_nano BIGINT NOT NULL, expires_at BIGINT, enabled BIGINT NOT NULL, created_at BIGINT NOT NULL)`,
    'CREATE INDEX api_key_account ON api_key (account_id, id)',
    `CREATE TABLE credit (
      id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES account(id), amount_nano BIGINT NOT NULL,
      source TEXT NOT NULL, external_id TEXT NOT NULL, reason TEXT NOT NULL, created_at BIGINT NOT NULL,
      UNIQUE (source, external_id))`,
    'CREATE INDEX credit_account ON credit (account_id, created_at)',
    `CREATE TABLE lease (
      id TEXT PRIMARY KEY, replica TEXT NOT NULL, epoch BIGINT NOT NULL, account_id TEXT NOT NULL,
      key_id TEXT NOT NULL, granted_nano BIGINT NOT NULL, used_nano BIGINT NOT NULL,
      version BIGINT NOT NULL, created_at BIGINT NOT NULL, reclaim_at BIGINT NOT NULL) $compact`,
    `CREATE TABLE entry (
      request_id TEXT PRIMARY KEY, account_id TEXT NOT NULL, key_id TEXT NOT NULL, lease_id TEXT NOT NULL,
      price_version_id TEXT NOT NULL, factor_micro BIGINT NOT NULL, cost_nano BIGINT NOT NULL,
      input_tokens BIGINT NOT NULL, cache_read_tokens BIGINT NOT NULL,
      cache_write_5m_tokens BIGINT NOT NULL, cache_write_1h_tokens BIGINT NOT NULL,
      output_tokens BIGINT NOT NULL, reasoning_tokens BIGINT NOT NULL,
      usage_source TEXT NOT NULL, flags TEXT NOT NULL) $compact`,
    `CREATE TABLE usage_row (
      request_id TEXT PRIMARY KEY, at BIGINT NOT NULL, account_id TEXT NOT NULL, key_id TEXT NOT NULL,
      model TEXT, protocol TEXT NOT NULL, group_id TEXT, stream BIGINT NOT NULL, status BIGINT NOT NULL,
      reason TEXT, cost_nano BIGINT NOT NULL, first_token_ms BIGINT, total_ms BIGINT NOT NULL,
      client_address TEXT NOT NULL, client_request_id TEXT, upstream_id TEXT, upstream_request_id TEXT,
      warnings TEXT) $compact`,
    'CREATE INDEX usage_row_account ON usage_row (account_id, request_id)',
    'CREATE INDEX usage_row_key ON usage_row (key_id, request_id)',
    `CREATE TABLE attempt (
      request_id TEXT NOT NULL, ordinal BIGINT NOT NULL, upstream_id TEXT NOT NULL, status BIGINT,
      reason TEXT, first_byte_ms BIGINT, total_ms BIGINT NOT NULL,
      PRIMARY KEY (request_id, ordinal)) $compact`,
    `CREATE TABLE audit (
      seq $serial, at BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
      subject TEXT NOT NULL, before TEXT, after TEXT)`,
    `CREATE TABLE session (
      token_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES console_user(id),
      created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL)`,
    `CREATE TABLE sign_in_link (
      token_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES console_user(id),
      expires_at BIGINT NOT NULL)`,
    'CREATE TABLE replica (id TEXT PRIMARY KEY, epoch BIGINT NOT NULL, seen_at BIGINT NOT NULL)',
    'CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL)',
    `CREATE TABLE change (
      seq $serial, topic TEXT NOT NULL, subject TEXT NOT NULL, at BIGINT NOT NULL)`,
  ],
}
