import { migrations } from '../../src/store/migrations/list.ts'

/** Key 0, and so account 0, gets a tenth of all requests. */
const keysPerAccount = 100
const millionDollarsNano = 10n ** 15n

export function fillPeople(keys: number, nowMs: number): string[] {
  const accounts = Math.ceil(keys / keysPerAccount)
  return [
    `INSERT INTO account (id, name, status, ends_at, available_nano, created_at)
      SELECT 'acc_' || i, 'Account ' || i, 'active', NULL, ${millionDollarsNano}, ${nowMs}
      FROM generate_series(0, ${accounts - 1}) i`,
    `INSERT INTO api_key (id, account_id, name, value_hash, value_sealed, value_hint, imported, groups,
        models, addresses, quota_nano, available_nano, spent_nano, expires_at, enabled, created_at)
      SELECT 'key_' || i, 'acc_' || i / ${keysPerAccount}, 'Key ' || i, md5('fill ' || i) || md5('hash ' || i),
        md5('sealed ' || i) || md5('value ' || i) || md5(i::text), 'sk-…' || i % 1000, 0, '["default"]',
        NULL, NULL, NULL, NULL, 0, NULL, 1, ${nowMs}
      FROM generate_series(0, ${keys - 1}) i`,
    'ANALYZE account, api_key',
  ]
}

export interface LogStep {
  readonly from: number
  readonly to: number
  readonly startMs: number
  readonly stepMs: number
  readonly keys: number
}

/** Requests number `from` to before `to`, evenly over the time, of models and keys that are not used evenly. */
export function fillLog({ from, to, startMs, stepMs, keys }: LogStep): string[] {
  return [
    `CREATE TEMP TABLE made ON COMMIT DROP AS
      SELECT i, at, substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7' || substr(noise, 1, 3) || '-8'
          || substr(noise, 4, 3) || '-' || substr(noise, 7, 12) AS request_id,
        key, 'key_' || key AS key_id, 'acc_' || key / ${keysPerAccount} AS account_id,
        i % 97 = 0 AS is_refused, i % 83 = 0 AS is_retried, (i * 7919 % 1000000 + 1000)::bigint AS cost,
        CASE WHEN i % 10007 = 0 THEN 'rare-model' ELSE 'model-' || (i * 31 % 12) END AS model
      FROM (
        SELECT i, at, lpad(to_hex(at), 12, '0') AS hex, md5(i::text) AS noise,
          CASE WHEN i % 10 = 0 THEN 0 ELSE (i * 2654435761 % ${keys})::bigint END AS key
        FROM (SELECT i, (${startMs} + floor(i * ${stepMs}))::bigint AS at
          FROM generate_series(${from}::bigint, ${to - 1}) i) AS times) AS numbers`,
    `INSERT INTO entry
      SELECT request_id, account_id, key_id, 'lease_' || key, 'price_fill', 1000000, cost,
        cost % 5000, 0, 0, 0, cost % 900, 0, 'upstream', ''
      FROM made WHERE NOT is_refused`,
    `INSERT INTO usage_row
      SELECT request_id, at, account_id, key_id, model,
        (ARRAY['chat-completions', 'responses', 'messages', 'generate-content'])[i % 4 + 1],
        CASE WHEN is_refused THEN NULL WHEN i % 5 = 0 THEN 'premium' ELSE 'default' END, i % 2,
        CASE WHEN is_refused THEN 429 ELSE 200 END,
        CASE WHEN is_refused THEN 'rate_limit_exceeded' END, CASE WHEN is_refused THEN 0 ELSE cost END,
        CASE WHEN is_refused THEN NULL ELSE 200 + i % 700 END, 900 + i % 9000, '203.0.113.7', NULL,
        CASE WHEN is_refused THEN NULL ELSE 'upstream-' || i % 3 END,
        CASE WHEN is_refused THEN NULL ELSE 'req_' || md5(request_id) END, NULL
      FROM made`,
    `INSERT INTO attempt
      SELECT request_id, ordinal, 'upstream-' || ordinal, CASE ordinal WHEN 0 THEN 503 ELSE 200 END,
        CASE ordinal WHEN 0 THEN 'overloaded' END, 40, 50
      FROM made, generate_series(0, 1) ordinal WHERE is_retried AND NOT is_refused`,
  ]
}

/** The migration that brought the sums in has the statement that makes them out of a log. */
export const fillHours = findFillHours()

function findFillHours(): string {
  const statements = migrations.flatMap((migration) => migration.statements)
  const found = statements.find(
    (each) => typeof each === 'string' && each.startsWith('INSERT INTO usage_hour'),
  )
  if (typeof found !== 'string') throw new Error('no migration fills the sums of the hours')
  return found
}

/** Credits that explain what is there, and statistics for the planner. */
export const finish = [
  `UPDATE api_key SET spent_nano = spent.nano
    FROM (SELECT key_id, CAST(SUM(cost_nano) AS BIGINT) AS nano FROM usage_hour GROUP BY key_id) AS spent
    WHERE spent.key_id = api_key.id`,
  `INSERT INTO credit (id, account_id, amount_nano, source, external_id, reason, created_at)
    SELECT 'credit_' || a.id, a.id, a.available_nano + CAST(COALESCE(SUM(k.spent_nano), 0) AS BIGINT), 'fill',
      a.id, 'fill', a.created_at
    FROM account a LEFT JOIN api_key k ON k.account_id = a.id GROUP BY a.id`,
  'VACUUM ANALYZE entry',
  'VACUUM ANALYZE usage_row',
  'VACUUM ANALYZE attempt',
  'VACUUM ANALYZE usage_hour',
  'VACUUM ANALYZE api_key',
  'VACUUM ANALYZE credit',
]
