import { describe, expect, test } from 'bun:test'
import type { Engine } from '../../../src/store/engine.ts'
import { listAttempts } from '../../../src/usage/list-attempts.ts'
import type { UsageRecord } from '../../../src/usage/usage-record.ts'
import { usageRecords } from '../../../src/usage/usage-records.ts'
import { usageShapes } from '../../../src/usage/usage-shapes.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

const record: UsageRecord = {
  requestId: '0190b7c4-0000-7000-8000-000000000001',
  at: 1_790_000_000_000,
  accountId: 'acme',
  keyId: 'k1',
  model: 'gpt-x',
  protocol: 'chat-completions',
  groupId: 'default',
  isStream: true,
  status: 200,
  reason: undefined,
  costNano: 2n ** 53n - 1n,
  firstTokenMs: 12.4,
  totalMs: 99.5,
  clientAddress: '127.0.0.1',
  clientRequestId: 'theirs',
  upstreamId: 'two',
  queuedMs: 40.6,
  upstreamRequestId: undefined,
  warnings: ['dropped:seed', 'clamped:temperature'],
  attempts: [
    {
      upstreamId: 'one',
      credential: 'sk-…9f2c',
      status: 529,
      reason: 'overloaded',
      firstByteMs: undefined,
      totalMs: 3.2,
      note: undefined,
    },
    {
      upstreamId: 'two',
      credential: undefined,
      status: 200,
      reason: undefined,
      firstByteMs: 7.6,
      totalMs: 90,
      note: 'retry after 529, dropped seed',
    },
  ],
}

const refusal: UsageRecord = {
  ...record,
  requestId: '0190b7c4-0000-7000-8000-000000000002',
  model: undefined,
  groupId: undefined,
  isStream: false,
  status: 400,
  reason: 'invalid_request',
  costNano: 0n,
  firstTokenMs: undefined,
  totalMs: 0.2,
  clientRequestId: undefined,
  warnings: [],
  attempts: [],
}

/** Writes records like the shipper: as text, in known shapes. */
async function log(engine: Engine, ...records: UsageRecord[]): Promise<void> {
  await engine.defineShapes(usageShapes)
  await engine.applyRecords(records.map((each) => JSON.stringify(usageRecords(each))))
}

describe.each(sharedFixtures('usage log'))('usage log on $kind', (fixture) => {
  test('a record becomes one row and one for each attempt', async () => {
    const engine = await fixture.openMigrated()
    await log(engine, record)
    expect(await engine.db.selectFrom('usage_row').selectAll().execute()).toEqual([
      {
        request_id: record.requestId,
        at: record.at,
        account_id: 'acme',
        key_id: 'k1',
        model: 'gpt-x',
        protocol: 'chat-completions',
        group_id: 'default',
        stream: 1,
        status: 200,
        reason: null,
        cost_nano: 2n ** 53n - 1n,
        first_token_ms: 12,
        total_ms: 100,
        client_address: '127.0.0.1',
        client_request_id: 'theirs',
        upstream_id: 'two',
        upstream_request_id: null,
        warnings: 'dropped:seed,clamped:temperature',
        credential: null,
        note: null,
        first_byte_ms: null,
        queued_ms: 41,
      },
    ])
    const attempts = engine.db.selectFrom('attempt').selectAll().orderBy('ordinal')
    const shared = { request_id: record.requestId }
    expect(await attempts.execute()).toEqual([
      {
        ...shared,
        ordinal: 0,
        upstream_id: 'one',
        status: 529,
        reason: 'overloaded',
        first_byte_ms: null,
        total_ms: 3,
        credential: 'sk-…9f2c',
        note: null,
      },
      {
        ...shared,
        ordinal: 1,
        upstream_id: 'two',
        status: 200,
        reason: null,
        first_byte_ms: 8,
        total_ms: 90,
        credential: null,
        note: 'retry after 529, dropped seed',
      },
    ])
  })

  test('a refusal with almost no details is recorded too', async () => {
    const engine = await fixture.openMigrated()
    await log(engine, refusal)
    const row = await engine.db.selectFrom('usage_row').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      model: null,
      group_id: null,
      stream: 0,
      reason: 'invalid_request',
      cost_nano: 0n,
      first_token_ms: null,
      total_ms: 0,
      warnings: null,
    })
    expect(await engine.db.selectFrom('attempt').selectAll().execute()).toEqual([])
  })

  test('a successful first attempt is only in the usage row, a failed one has its own row', async () => {
    const engine = await fixture.openMigrated()
    const [failed, fine] = record.attempts
    if (!failed || !fine) throw new Error('the record has two attempts')
    const told = { ...fine, credential: 'sk-…0a1b' }
    await log(engine, { ...record, attempts: [told] })
    expect(await engine.db.selectFrom('attempt').selectAll().execute()).toEqual([])
    expect(await listAttempts(engine, record.requestId)).toEqual([
      { ...told, firstByteMs: 8, totalMs: 100 },
    ])
    await log(engine, { ...refusal, attempts: [failed] })
    expect(await listAttempts(engine, refusal.requestId)).toEqual([{ ...failed, totalMs: 3 }])
    expect(await listAttempts(engine, 'nobody knows it')).toEqual([])
  })

  test('records of an earlier version’s journal are applied unchanged', async () => {
    const engine = await fixture.openMigrated()
    await engine.defineShapes(usageShapes)
    const [row = []] = usageRecords({ ...record, attempts: [] })
    const before = ['usage-2', ...row.slice(1, 19), ...row.slice(22)]
    const attempt = ['attempt-1', record.requestId, 0, 'one', 529, 'overloaded', null, 3]
    await engine.applyRecords([JSON.stringify([before, attempt])])
    const read = await engine.db.selectFrom('usage_row').selectAll().executeTakeFirstOrThrow()
    expect(read).toMatchObject({ status: 200, cost_nano: 2n ** 53n - 1n, credential: null })
    const hour = await engine.db.selectFrom('usage_hour').selectAll().executeTakeFirstOrThrow()
    expect(hour).toMatchObject({ account_id: 'acme', key_id: 'k1', requests: 1, total_ms: 100 })
    expect(await listAttempts(engine, record.requestId)).toMatchObject([
      { upstreamId: 'one', status: 529, credential: undefined, note: undefined },
    ])
  })

  test('the same record twice is stored once', async () => {
    const engine = await fixture.openMigrated()
    for (const status of [200, 500]) await log(engine, { ...record, status })
    const rows = await engine.db.selectFrom('usage_row').select('status').execute()
    expect(rows).toEqual([{ status: 200 }])
    expect(await engine.db.selectFrom('attempt').selectAll().execute()).toHaveLength(2)
  })

  const names = ['nul \u0000 inside', 'half a pair \ud83d', '\udc00', '漢字 😀', "'; --", '']
  test.each(names)(
    'the row is written for any model name that a client sends: %j',
    async (model) => {
      const engine = await fixture.openMigrated()
      await log(engine, { ...refusal, model })
      const row = await engine.db.selectFrom('usage_row').select('model').executeTakeFirstOrThrow()
      expect(row.model).toBe(model.toWellFormed().replaceAll('\u0000', '\ufffd'))
    },
  )
})
