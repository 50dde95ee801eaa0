import { type FillWords, numbers } from './fill-words.ts'

export const keysPerAccount = 100
const creditNano = 10n ** 13n
const leasedNano = 1_000_000n
const leasesMax = 20_000

/** The rows that exist before the first request: accounts, keys, logins, a catalogue, leased money and an audit log. */
export function fillPeople(
  keys: number,
  times: { readonly startMs: number; readonly nowMs: number },
  { hex }: FillWords,
): string[] {
  const { startMs, nowMs } = times
  const accounts = Math.ceil(keys / keysPerAccount)
  return [
    `INSERT INTO account (id, name, status, ends_at, available_nano, created_at)
      SELECT 'acc_' || i, 'Account ' || i, 'active', NULL, ${creditNano}, ${startMs}
      FROM ${numbers(0, accounts)}`,
    `INSERT INTO api_key (id, account_id, name, value_hash, value_sealed, value_hint, imported, groups,
        models, addresses, quota_nano, available_nano, spent_nano, expires_at, enabled, created_at)
      SELECT 'key_' || i, 'acc_' || (i / ${keysPerAccount}), 'Key ' || i, ${hashOf('i', hex)},
        ${hashOf('i + 7', hex)} || ${hashOf('i + 77', hex)}, 'sk-…' || (i % 1000), 0, '["default"]',
        NULL, NULL, NULL, NULL, 0, NULL, 1, ${startMs}
      FROM ${numbers(0, keys)}`,
    `INSERT INTO console_user (id, email, role, created_at)
      SELECT 'user_' || i, 'person' || i || '@example.com', 'member', ${startMs}
      FROM ${numbers(0, accounts)}`,
    `INSERT INTO membership (user_id, account_id, role)
      SELECT 'user_' || i, 'acc_' || i, 'owner' FROM ${numbers(0, accounts)}`,
    `INSERT INTO console_user (id, email, role, created_at)
      VALUES ('operator', 'operator@example.com', 'admin', ${startMs})`,
    `INSERT INTO audit (at, actor, action, subject, before, after)
      SELECT ${startMs} + i * ${Math.floor((nowMs - startMs) / keys)}, 'user_' || (i / ${keysPerAccount}),
        CASE WHEN i % 40000 = 7 THEN 'account.credited' ELSE 'key.created' END, 'key_' || i, NULL,
        '{"name":"Key"}'
      FROM ${numbers(0, keys)}`,
    `INSERT INTO lease (id, replica, epoch, account_id, key_id, granted_nano, used_nano, version, created_at,
        reclaim_at)
      SELECT 'lease_' || i, 'fill', 1, 'acc_' || (i / ${keysPerAccount}), 'key_' || i, ${leasedNano}, 0, 1,
        ${nowMs}, ${nowMs}
      FROM ${numbers(0, Math.min(keys, leasesMax))}`,
    ...fillCatalogue(startMs),
  ]
}

/** 64 digits that do not increase with the number. */
function hashOf(number: string, hex: FillWords['hex']): string {
  const part = (factor: number) => hex(`(${number}) * ${factor} % 281474976710656`, 16)
  return [2_654_435_761, 40_503, 2_246_822_519, 3_266_489_917].map(part).join(' || ')
}

function fillCatalogue(startMs: number): string[] {
  const models = `(SELECT 'model-' || i AS id FROM ${numbers(0, 12)} UNION ALL SELECT 'rare-model') AS models`
  return [
    `INSERT INTO service_group (id, factor_micro, created_at)
      VALUES ('default', 1000000, ${startMs}), ('premium', 2000000, ${startMs})`,
    `INSERT INTO upstream (id, vendor, protocol, base_url, created_at)
      SELECT 'upstream-' || i, 'openai-compatible', 'any', 'https://upstream.example/v1', ${startMs}
      FROM ${numbers(0, 3)}`,
    `INSERT INTO model (id, display_name, owned_by, context_tokens, max_output_tokens, created_at)
      SELECT id, id, 'fill', 200000, 8000, ${startMs} FROM ${models}`,
    `INSERT INTO price_version (id, model_id, valid_from, input_nano, cache_read_nano, cache_write_5m_nano,
        cache_write_1h_nano, output_nano, request_nano)
      SELECT 'price_' || id, id, ${startMs}, 1, 1, 1, 1, 1, 0 FROM ${models}`,
    `INSERT INTO route (group_id, model_id, upstream_id, upstream_model, priority, weight)
      SELECT g.id, models.id, 'upstream-0', models.id, 1, 1 FROM service_group g, ${models}`,
  ]
}

/** The spending of the keys, and credits that match the balances. */
export const balanceLedger: readonly string[] = [
  `UPDATE api_key SET spent_nano = spent.nano
    FROM (SELECT key_id, CAST(SUM(cost_nano) AS BIGINT) AS nano FROM usage_hour GROUP BY key_id) AS spent
    WHERE spent.key_id = api_key.id`,
  `INSERT INTO credit (id, account_id, amount_nano, source, external_id, reason, created_at)
    SELECT 'credit_' || a.id, a.id, a.available_nano + CAST(COALESCE(SUM(k.spent_nano), 0) AS BIGINT)
        + CAST(COALESCE((SELECT SUM(granted_nano - used_nano) FROM lease WHERE account_id = a.id), 0) AS BIGINT),
      'fill', a.id, 'fill', a.created_at
    FROM account a LEFT JOIN api_key k ON k.account_id = a.id GROUP BY a.id`,
]
