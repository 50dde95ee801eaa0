import type { Migration } from './migration.ts'

/**
 * Outgoing messages (e-mail and webhooks) and alerts. A message stays in `outbox` until it is sent or given up;
 * `payload_sealed` is deleted then, because it may contain a link. Messages of one `lane` are sent in the order of
 * `seq`. A row of `alert_crossing` exists while a condition holds, so that one crossing sends one message.
 * `alert_sighting` holds conditions that only one replica can see, such as an upstream that is down.
 */
export const alerts: Migration = {
  id: '0025-alerts',
  statements: [
    `CREATE TABLE outbox (
      seq $serial, lane TEXT NOT NULL, purpose TEXT NOT NULL, account_id TEXT, alert_id TEXT,
      channel TEXT NOT NULL, target TEXT NOT NULL, payload_sealed TEXT, state TEXT NOT NULL,
      attempts BIGINT NOT NULL, next_at BIGINT NOT NULL, claimed_until BIGINT NOT NULL, last_error TEXT,
      created_at BIGINT NOT NULL, ended_at BIGINT)`,
    "CREATE INDEX outbox_due ON outbox (next_at) WHERE state = 'waiting'",
    "CREATE INDEX outbox_lane ON outbox (lane, seq) WHERE state = 'waiting'",
    'CREATE INDEX outbox_account ON outbox (account_id, seq)',
    'CREATE INDEX outbox_ended ON outbox (ended_at)',
    `CREATE TABLE alert (
      id TEXT PRIMARY KEY, account_id TEXT REFERENCES account(id), name TEXT NOT NULL, channel TEXT NOT NULL,
      emails TEXT NOT NULL, url_sealed TEXT, url_host TEXT, secret_sealed TEXT, kinds TEXT NOT NULL,
      credit_below_nano BIGINT NOT NULL, key_expiry_days BIGINT NOT NULL, spend_factor BIGINT NOT NULL,
      spend_floor_nano BIGINT NOT NULL, enabled BIGINT NOT NULL, created_at BIGINT NOT NULL)`,
    'CREATE INDEX alert_account ON alert (account_id, id)',
    `CREATE TABLE alert_crossing (
      alert_id TEXT NOT NULL REFERENCES alert(id) ON DELETE CASCADE, kind TEXT NOT NULL, subject TEXT NOT NULL,
      since BIGINT NOT NULL, PRIMARY KEY (alert_id, kind, subject)) $compact`,
    `CREATE TABLE alert_sighting (
      replica TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL, at BIGINT NOT NULL,
      PRIMARY KEY (replica, kind, subject)) $compact`,
  ],
}
