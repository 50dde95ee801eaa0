import type { Migration } from './migration.ts'

/**
 * Adds hourly sums of the usage log, filled from the existing rows, and an index of failed requests. On Postgres,
 * tables are partitioned by the month of the request id. Existing rows become the first partition, up to the end of
 * their last month or of the current one. `_rest` takes rows without a partition. The sort order of the indexes differs
 * from the primary key on purpose: otherwise the planner may scan the whole log for the newest rows of an account that
 * was busy only once.
 */
export const usage: Migration = {
  id: '0003-usage',
  statements: [
    `CREATE TABLE usage_hour (
      account_id TEXT NOT NULL, hour BIGINT NOT NULL, key_id TEXT NOT NULL, model TEXT NOT NULL,
      group_id TEXT NOT NULL, protocol TEXT NOT NULL, requests BIGINT NOT NULL, errors BIGINT NOT NULL,
      input_tokens BIGINT NOT NULL, cache_read_tokens BIGINT NOT NULL,
      cache_write_5m_tokens BIGINT NOT NULL, cache_write_1h_tokens BIGINT NOT NULL,
      output_tokens BIGINT NOT NULL, reasoning_tokens BIGINT NOT NULL, cost_nano BIGINT NOT NULL,
      first_tokens BIGINT NOT NULL, first_token_ms BIGINT NOT NULL, total_ms BIGINT NOT NULL,
      PRIMARY KEY (account_id, hour, key_id, model, group_id, protocol)) $compact`,
    'CREATE INDEX usage_hour_key ON usage_hour (key_id, hour)',
    `INSERT INTO usage_hour
      SELECT u.account_id, u.at - u.at % 3600000, u.key_id,
        CASE WHEN u.group_id IS NULL THEN '' ELSE COALESCE(u.model, '') END,
        COALESCE(u.group_id, ''), u.protocol, COUNT(*),
        CAST(SUM(CASE WHEN u.reason IS NULL THEN 0 ELSE 1 END) AS BIGINT),
        CAST(SUM(COALESCE(e.input_tokens, 0)) AS BIGINT),
        CAST(SUM(COALESCE(e.cache_read_tokens, 0)) AS BIGINT),
        CAST(SUM(COALESCE(e.cache_write_5m_tokens, 0)) AS BIGINT),
        CAST(SUM(COALESCE(e.cache_write_1h_tokens, 0)) AS BIGINT),
        CAST(SUM(COALESCE(e.output_tokens, 0)) AS BIGINT),
        CAST(SUM(COALESCE(e.reasoning_tokens, 0)) AS BIGINT),
        CAST(SUM(u.cost_nano) AS BIGINT), COUNT(u.first_token_ms),
        CAST(SUM(COALESCE(u.first_token_ms, 0)) AS BIGINT), CAST(SUM(u.total_ms) AS BIGINT)
      FROM usage_row u LEFT JOIN entry e ON e.request_id = u.request_id
      GROUP BY 1, 2, 3, 4, 5, 6`,
    {
      postgres: `DO $body$
        DECLARE
          name TEXT;
          before TEXT;
          last_id TEXT;
          last_at TIMESTAMP;
          bound TEXT;
        BEGIN
          FOREACH name IN ARRAY ARRAY['entry', 'usage_row', 'attempt'] LOOP
            before := name || '_before';
            EXECUTE format('ALTER TABLE %I ALTER COLUMN request_id TYPE TEXT COLLATE "C"', name);
            EXECUTE format('SELECT max(request_id) FROM %I', name) INTO last_id;
            EXECUTE format('ALTER TABLE %I RENAME TO %I', name, before);
            EXECUTE format('ALTER INDEX %I RENAME TO %I', name || '_pkey', before || '_pkey');
            EXECUTE format('CREATE TABLE %I (LIKE %I) PARTITION BY RANGE (request_id)', name, before);
            EXECUTE format('ALTER TABLE %I ADD PRIMARY KEY (%s)', name,
              CASE name WHEN 'attempt' THEN 'request_id, ordinal' ELSE 'request_id' END);
            IF name = 'usage_row' THEN
              DROP INDEX usage_row_account, usage_row_key;
              CREATE INDEX usage_row_account ON usage_row (account_id, request_id DESC NULLS LAST);
              CREATE INDEX usage_row_key ON usage_row (key_id, request_id DESC NULLS LAST);
              CREATE INDEX usage_row_trouble ON usage_row (account_id, request_id DESC NULLS LAST)
                WHERE reason IS NOT NULL;
            END IF;
            EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', name || '_rest', name);
            IF last_id IS NULL THEN
              EXECUTE format('DROP TABLE %I', before);
            ELSE
              last_at := now() AT TIME ZONE 'UTC';
              IF last_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7' THEN
                last_at := GREATEST(last_at, to_timestamp(('x' || lpad(replace(left(last_id, 13), '-', ''),
                  16, '0'))::bit(64)::bigint / 1000.0) AT TIME ZONE 'UTC');
              END IF;
              bound := lpad(to_hex((extract(epoch FROM date_trunc('month', last_at)
                + interval '1 month') * 1000)::bigint), 12, '0');
              bound := left(bound, 8) || '-' || right(bound, 4) || '-7000-8000-000000000000';
              EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)',
                name, before, bound);
            END IF;
          END LOOP;
        END $body$`,
    },
    {
      sqlite:
        'CREATE INDEX usage_row_trouble ON usage_row (account_id, request_id) WHERE reason IS NOT NULL',
    },
    'CREATE INDEX api_key_imported ON api_key (id) WHERE imported = 1',
  ],
}
