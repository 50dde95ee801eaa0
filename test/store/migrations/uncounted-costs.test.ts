import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'

const formerLast = '0034-former-key-owners'

describe.each(engineFixtures('uncounted-costs'))('costs without counters on $kind', (fixture) => {
  test('entries of a former version whose set does not exist are kept for it, others are not', async () => {
    const engine = await fixture.open(await fixture.freshUrl())
    const last = migrations.findIndex(({ id }) => id === formerLast)
    await migrate(engine, migrations.slice(0, last + 1), 1)
    await sql`INSERT INTO account (id, name, status, available_nano, created_at)
      VALUES ('acme', 'Acme', 'active', 0, 1)`.execute(engine.db)
    await sql`INSERT INTO budget_counter (id, account_id, owner_kind, owner_id, period, starts_at,
        ends_at, limit_nano, available_nano, spent_nano)
      VALUES ('c', 'acme', 'account', 'acme', 'total', 0, NULL, 9, 0, 9)`.execute(engine.db)
    await sql`INSERT INTO budget_set (set_id, counter_id) VALUES ('known', 'c')`.execute(engine.db)
    const entries = [
      ['r1', 3, 'lost'],
      ['r2', 4, 'lost'],
      ['r3', 5, 'other'],
      ['r4', 9, 'known'],
      ['r5', 7, null],
    ] as const
    for (const [id, costNano, set] of entries)
      await sql`INSERT INTO entry (request_id, account_id, key_id, lease_id, price_version_id,
          factor_micro, cost_nano, input_tokens, cache_read_tokens, cache_write_5m_tokens,
          cache_write_1h_tokens, output_tokens, reasoning_tokens, usage_source, flags, budget_set)
        VALUES (${id}, 'acme', 'k', 'l', 'p', 1000000, ${costNano}, 0, 0, 0, 0, 0, 0, 'upstream', '',
          ${set})`.execute(engine.db)
    await migrate(engine, migrations, 2)
    const kept = await engine.db
      .selectFrom('uncounted_cost')
      .selectAll()
      .orderBy('set_id')
      .execute()
    expect(kept).toEqual([
      { set_id: 'lost', cost_nano: 7n },
      { set_id: 'other', cost_nano: 5n },
    ])
  })
})
