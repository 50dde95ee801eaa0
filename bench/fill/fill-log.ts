import { migrations } from '../../src/store/migrations/list.ts'
import { keysPerAccount } from './fill-people.ts'
import { type FillWords, numbers } from './fill-words.ts'

export interface LogStep {
  readonly from: number
  readonly to: number
  readonly startMs: number
  readonly stepMs: number
  readonly keys: number
}

/**
 * Requests `from` up to but not including `to`, evenly distributed over the time. Models and keys are not used evenly:
 * key 0, and so account 0, gets a tenth of all requests.
 */
export function fillLog(step: LogStep, { hex }: FillWords): string[] {
  const { from, to, startMs, stepMs, keys } = step
  return [
    `CREATE TEMP TABLE made AS
      SELECT i, at, substr(time, 1, 8) || '-' || substr(time, 9, 4) || '-7' || ${hex('i % 4096', 3)} || '-8'
          || ${hex('i / 4096 % 4096', 3)} || '-' || ${hex('i * 2654435761 % 281474976710656', 12)} AS request_id,
        key, 'key_' || key AS key_id, 'acc_' || (key / ${keysPerAccount}) AS account_id,
        i % 97 = 0 AS is_refused, i % 83 = 0 AS is_retried, i * 7919 % 1000000 + 1000 AS cost,
        CASE WHEN i % 10007 = 0 THEN 'rare-model' ELSE 'model-' || (i * 31 % 12) END AS model
      FROM (
        SELECT i, at, ${hex('at', 12)} AS time,
          CASE WHEN i % 10 = 0 THEN 0 ELSE i * 2654435761 % ${keys} END AS key
        FROM (SELECT i, ${startMs} + CAST(i * ${stepMs} AS BIGINT) AS at
          FROM ${numbers(from, to)}) AS times) AS timed`,
    `INSERT INTO entry
        (request_id, account_id, key_id, lease_id, price_version_id, factor_micro, cost_nano, input_tokens,
          cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
          usage_source, flags)
      SELECT request_id, account_id, key_id, 'lease_' || key, 'price_fill', 1000000, cost,
        cost % 5000, 0, 0, 0, cost % 900, 0, 'upstream', ''
      FROM made WHERE NOT is_refused`,
    `INSERT INTO usage_row
        (request_id, at, account_id, key_id, model, protocol, group_id, stream, status, reason, cost_nano,
          first_token_ms, total_ms, client_address, upstream_id, upstream_request_id)
      SELECT request_id, at, account_id, key_id, model,
        CASE i / 10 % 4 WHEN 0 THEN 'chat-completions' WHEN 1 THEN 'responses' WHEN 2 THEN 'messages'
          ELSE 'generate-content' END,
        CASE WHEN is_refused THEN NULL WHEN i % 5 = 0 THEN 'premium' ELSE 'default' END, i / 7 % 2,
        CASE WHEN is_refused THEN 429 ELSE 200 END,
        CASE WHEN is_refused THEN 'rate_limit_exceeded' END, CASE WHEN is_refused THEN 0 ELSE cost END,
        CASE WHEN is_refused THEN NULL ELSE 200 + i % 700 END, 900 + i % 9000, '203.0.113.7',
        CASE WHEN is_refused THEN NULL ELSE 'upstream-' || (i % 3) END,
        CASE WHEN is_refused THEN NULL ELSE 'req_' || request_id END
      FROM made`,
    `INSERT INTO attempt (request_id, ordinal, upstream_id, status, reason, first_byte_ms, total_ms)
      SELECT request_id, ordinal, 'upstream-' || ordinal, CASE ordinal WHEN 0 THEN 503 ELSE 200 END,
        CASE ordinal WHEN 0 THEN 'overloaded' END, 40, 50
      FROM made, (SELECT 0 AS ordinal UNION ALL SELECT 1) AS ordinals WHERE is_retried AND NOT is_refused`,
    'DROP TABLE made',
  ]
}

/**
 * The migrations that introduced the sums contain the statements that compute them from a log. Later migrations correct
 * the sums of requests that a fill does not have.
 */
export function fillSums({ inOrderOfTime }: FillWords): string[] {
  const statements = migrations.flatMap((migration) => migration.statements)
  const texts = statements.filter((each) => typeof each === 'string')
  const found = texts.filter((text) => /^INSERT INTO usage_(hour|total)\s+SELECT/.test(text))
  if (found.length === 0) throw new Error('no migration fills the sums')
  return found.map((text) => `${text} ${inOrderOfTime}`)
}
