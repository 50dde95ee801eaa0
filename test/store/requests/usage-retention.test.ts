import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { maintainUsageLog } from '../../../src/app/node/maintain-usage-log.ts'
import { firstRequestIdAt, newRequestId } from '../../../src/core/id.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { makeMonths } from '../../../src/store/tables/months.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { sweepUsage } from '../../../src/usage/sweep-usage.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import { usageRow } from '../../support/usage-row.ts'

const dayMs = 86_400_000
const march = Date.UTC(2027, 2, 10)

const row = { ...usageRow, group_id: 'default', cost_nano: 7n, total_ms: 9 }

const entry = {
  account_id: 'acme',
  key_id: 'k1',
  lease_id: 'l',
  price_version_id: 'p',
  factor_micro: 1_000_000,
  cost_nano: 7n,
  input_tokens: 1,
  cache_read_tokens: 0,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
  output_tokens: 1,
  reasoning_tokens: 0,
  usage_source: 'upstream',
  flags: '',
}

/** A request with its row, its entry and two attempts. */
async function addRequest({ db }: Engine, at: number): Promise<string> {
  const request_id = newRequestId(at)
  await db
    .insertInto('usage_row')
    .values({ ...row, at, request_id })
    .execute()
  await db
    .insertInto('entry')
    .values({ ...entry, request_id })
    .execute()
  const attempt = { request_id, upstream_id: 'one', status: 200, reason: null, total_ms: 1 }
  const attempts = [0, 1].map((ordinal) => ({ ...attempt, ordinal, first_byte_ms: null }))
  await db.insertInto('attempt').values(attempts).execute()
  return request_id
}

async function idsIn({ db }: Engine, table: 'usage_row' | 'entry' | 'attempt'): Promise<string[]> {
  const rows = await db.selectFrom(table).select('request_id').orderBy('request_id').execute()
  return [...new Set(rows.map((each) => each.request_id))]
}

const fixtures = sharedFixtures('usage retention')

describe.each(fixtures)('retention on $kind', (fixture) => {
  test('deletes rows and attempts older than the limit, in batches; entries stay', async () => {
    const engine = await fixture.openMigrated()
    const ids: string[] = []
    for (let day = 0; day < 9; day += 1) ids.push(await addRequest(engine, march + day * dayMs))
    const limits = { rowsPerBatch: 2, batchesMax: 3 }
    const first = await sweepUsage(engine, march + 5 * dayMs, limits)
    expect(first).toMatchObject({ isDone: false })
    expect(first.rows).toBeGreaterThan(0)
    while (!(await sweepUsage(engine, march + 5 * dayMs, limits)).isDone);
    expect(await idsIn(engine, 'usage_row')).toEqual(ids.slice(5))
    expect(await idsIn(engine, 'attempt')).toEqual(ids.slice(5))
    expect(await idsIn(engine, 'entry')).toEqual(ids)
  })

  test('has nothing to do the second time', async () => {
    const engine = await fixture.openMigrated()
    await addRequest(engine, march)
    expect((await sweepUsage(engine, march + dayMs)).rows).toBe(3)
    expect(await sweepUsage(engine, march + dayMs)).toEqual({ rows: 0, months: [], isDone: true })
  })
})

for (const fixture of fixtures.filter(({ kind }) => kind === 'postgres')) {
  const open = async (): Promise<Engine> => {
    const engine = await fixture.open(await fixture.migratedUrl())
    // Without a template, the database is empty.
    await migrate(engine, migrations, 1)
    return engine
  }
  const partOf = async ({ db }: Engine, id: string): Promise<string | undefined> => {
    const { rows } = await sql<{
      part: string
    }>`SELECT CAST(CAST(tableoid AS regclass) AS TEXT) AS part
      FROM usage_row WHERE request_id = ${id}`.execute(db)
    return rows[0]?.part
  }

  describe('monthly partitions on Postgres', () => {
    test('are created ahead of time, once, by the first process', async () => {
      const url = await fixture.freshUrl()
      const engines = await Promise.all([1, 2, 3].map(() => fixture.open(url)))
      await Promise.all(engines.map((engine) => migrate(engine, migrations, 1)))
      const made = await Promise.all(engines.map((engine) => makeMonths(engine, march)))
      const months = ['2027_03', '2027_04', '2027_05']
      const expected = ['attempt', 'entry', 'usage_row'].flatMap((table) =>
        months.map((month) => `${table}_${month}`),
      )
      expect(made.flat().sort()).toEqual(expected)
      const [engine] = engines
      if (!engine) throw new Error('there is no engine')
      expect(await makeMonths(engine, march)).toEqual([])
      const edges: [number, string][] = [
        [Date.UTC(2027, 2, 1), 'usage_row_2027_03'],
        [Date.UTC(2027, 3, 1) - 1, 'usage_row_2027_03'],
        [Date.UTC(2027, 3, 1), 'usage_row_2027_04'],
        [Date.UTC(2027, 5, 1), 'usage_row_rest'],
        [Date.UTC(2027, 2, 1) - 1, 'usage_row_rest'],
      ]
      for (const [at, part] of edges) {
        expect(await partOf(engine, await addRequest(engine, at))).toBe(part)
      }
    })

    test('a row written before its partition existed moves into the partition and stays unique', async () => {
      const engine = await open()
      const id = await addRequest(engine, march)
      expect(await partOf(engine, id)).toBe('usage_row_rest')
      await makeMonths(engine, march)
      expect(await partOf(engine, id)).toBe('usage_row_2027_03')
      const again = engine.db.insertInto('usage_row').values({ ...row, at: march, request_id: id })
      expect(await failureOf(again.execute())).toMatch(/unique/)
      expect(await idsIn(engine, 'entry')).toEqual([id])
    })

    test('are created while a writer is in a transaction', async () => {
      const engine = await open()
      await makeMonths(engine, march)
      await engine.db.transaction().execute(async (tx) => {
        const request_id = newRequestId(march)
        await tx
          .insertInto('usage_row')
          .values({ ...row, at: march, request_id })
          .execute()
        expect(await makeMonths(engine, Date.UTC(2027, 4, 1))).toHaveLength(6)
      })
      expect(await idsIn(engine, 'usage_row')).toHaveLength(1)
    })

    test('are dropped whole when they are too old, except the month that contains the limit', async () => {
      const engine = await open()
      await makeMonths(engine, march)
      const ids = []
      for (const at of [march, Date.UTC(2027, 3, 2), Date.UTC(2027, 3, 20)])
        ids.push(await addRequest(engine, at))
      const swept = await sweepUsage(engine, Date.UTC(2027, 3, 10))
      expect(swept).toEqual({
        months: ['attempt_2027_03', 'usage_row_2027_03'],
        rows: 3,
        isDone: true,
      })
      expect(await idsIn(engine, 'usage_row')).toEqual(ids.slice(2))
      expect(await idsIn(engine, 'entry')).toEqual(ids)
    })

    test('the table of an earlier version becomes the first partition and still works', async () => {
      const engine = await fixture.open(await fixture.freshUrl())
      const earlier = migrations.filter(({ id }) => id < '0003')
      await migrate(engine, earlier, 1)
      const old = await addRequest(engine, Date.UTC(2026, 0, 5))
      const late = await addRequest(engine, Date.UTC(2040, 5, 5))
      await migrate(engine, migrations, 2)
      expect(await partOf(engine, old)).toBe('usage_row_before')
      expect(await makeMonths(engine, Date.UTC(2040, 5, 20))).toEqual([
        'entry_2040_07',
        'entry_2040_08',
        'usage_row_2040_07',
        'usage_row_2040_08',
        'attempt_2040_07',
        'attempt_2040_08',
      ])
      const now = await addRequest(engine, Date.UTC(2040, 6, 1))
      expect(await partOf(engine, now)).toBe('usage_row_2040_07')
      expect(await idsIn(engine, 'usage_row')).toEqual([old, late, now])
      await sweepUsage(engine, Date.UTC(2040, 6, 1))
      expect(await idsIn(engine, 'usage_row')).toEqual([now])
      expect(await idsIn(engine, 'entry')).toEqual([old, late, now])
    })

    test('exist when the gateway is ready, and a failure to create them is logged, not thrown', async () => {
      const engine = await open()
      const events: string[] = []
      const log = createLog({
        level: 'debug',
        nowMs: () => march,
        write: (line) => void events.push(line),
      })
      const clock = { nowMs: () => march, monotonicMs: () => 0 }
      const recording = { recordingRetentionMs: dayMs }
      const kept = await maintainUsageLog({
        engine,
        clock,
        log,
        usageRetentionMs: dayMs,
        recording,
      })
      await kept.stop()
      expect(await partOf(engine, await addRequest(engine, march))).toBe('usage_row_2027_03')
      expect(events).toEqual([])
      await sql`DROP TABLE attempt`.execute(engine.db)
      const again = await maintainUsageLog({ engine, clock, log, usageRetentionMs: 0, recording })
      await again.stop()
      expect(events.join()).toContain('partition_not_created')
    })

    test('an id sorts by its time in every partition', () => {
      expect(firstRequestIdAt(march) <= newRequestId(march)).toBe(true)
      expect(newRequestId(march) < firstRequestIdAt(march + 1)).toBe(true)
    })
  })
}
