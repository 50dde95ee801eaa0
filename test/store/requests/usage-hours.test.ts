import { describe, expect, test } from 'bun:test'
import { newRequestId } from '../../../src/core/id.ts'
import type { TokenUsage } from '../../../src/core/money/usage.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { sweepUsage } from '../../../src/usage/sweep-usage.ts'
import type { UsageRecord } from '../../../src/usage/usage-record.ts'
import { usageRecords } from '../../../src/usage/usage-records.ts'
import { usageShapes } from '../../../src/usage/usage-shapes.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { usageRow } from '../../support/usage-row.ts'

const hourMs = 3_600_000
const noon = 1_790_000_000_000 - (1_790_000_000_000 % hourMs)
const usage: TokenUsage = {
  input: 10,
  cacheRead: 20,
  cacheWrite5m: 30,
  cacheWrite1h: 40,
  output: 50,
  reasoning: 5,
}

function recordAt(at: number, change: Partial<UsageRecord> = {}): UsageRecord {
  return {
    requestId: newRequestId(at),
    at,
    accountId: 'acme',
    keyId: 'k1',
    model: 'gpt-x',
    protocol: 'messages',
    groupId: 'default',
    isStream: false,
    status: 200,
    reason: undefined,
    costNano: 7n,
    firstTokenMs: 100,
    totalMs: 1_000,
    clientAddress: '127.0.0.1',
    clientRequestId: undefined,
    upstreamId: 'one',
    upstreamRequestId: undefined,
    warnings: [],
    attempts: [],
    ...change,
  }
}

function refusalAt(at: number, change: Partial<UsageRecord> = {}): UsageRecord {
  const nothing = { groupId: undefined, costNano: 0n, firstTokenMs: undefined, totalMs: 1 }
  return recordAt(at, { ...nothing, status: 404, reason: 'model_not_found', ...change })
}

const textOf = (record: UsageRecord) => JSON.stringify(usageRecords(record, usage))

async function hoursOf({ db }: Engine) {
  const hours = db.selectFrom('usage_hour').selectAll()
  return await hours.orderBy('hour').orderBy('model').orderBy('group_id').execute()
}

/** The sums computed from the rows, independent of the stored sums. */
async function countRows({ db }: Engine): Promise<number> {
  return (await db.selectFrom('usage_row').select('request_id').execute()).length
}

describe.each(sharedFixtures('usage hours'))('hourly sums on $kind', (fixture) => {
  const open = async (): Promise<Engine> => {
    const engine = await fixture.openMigrated()
    await engine.defineShapes(usageShapes)
    return engine
  }

  test('add a batch once, however often it arrives', async () => {
    const engine = await open()
    const batch = [
      textOf(recordAt(noon)),
      textOf(recordAt(noon + hourMs - 1, { firstTokenMs: undefined })),
      textOf(recordAt(noon + 5, { status: 502, reason: 'upstream_error' })),
      textOf(recordAt(noon + hourMs)),
      textOf(recordAt(noon, { keyId: 'k2' })),
    ]
    await engine.applyRecords([...batch, ...batch])
    await engine.applyRecords(batch)
    for (const text of batch.toReversed()) await engine.applyRecords([text])
    const hours = await hoursOf(engine)
    expect(hours).toHaveLength(3)
    expect(hours.find((each) => each.key_id === 'k1' && each.hour === noon)).toEqual({
      account_id: 'acme',
      hour: noon,
      key_id: 'k1',
      model: 'gpt-x',
      group_id: 'default',
      protocol: 'messages',
      requests: 3,
      errors: 1,
      input_tokens: 30,
      cache_read_tokens: 60,
      cache_write_5m_tokens: 90,
      cache_write_1h_tokens: 120,
      output_tokens: 150,
      reasoning_tokens: 15,
      cost_nano: 21n,
      first_tokens: 2,
      first_token_ms: 200,
      total_ms: 3_000,
    })
    expect(hours.reduce((sum, each) => sum + each.requests, 0)).toBe(await countRows(engine))
  })

  test('if two processes ship some of the same requests at once, each request counts once', async () => {
    const [one, other] = await fixture.openTwo()
    const batches = Array.from({ length: 12 }, (_, number) =>
      Array.from({ length: 20 }, (_, at) =>
        textOf(recordAt(noon + at, { keyId: `k${number % 3}` })),
      ),
    )
    for (const engine of [one, other]) await engine.defineShapes(usageShapes)
    const ship = async (engine: Engine, list: readonly (readonly string[])[]) => {
      for (const batch of list) await engine.applyRecords(batch)
    }
    await Promise.all([ship(one, batches), ship(other, batches.toReversed())])
    const hours = await hoursOf(one)
    expect(hours.map((each) => each.requests)).toEqual([80, 80, 80])
    expect(await countRows(one)).toBe(240)
  })

  test('a model name that the client invented gets no sum of its own', async () => {
    const engine = await open()
    for (const model of ['a', 'b', undefined]) {
      await engine.applyRecords([textOf(refusalAt(noon, { model }))])
    }
    const hours = await hoursOf(engine)
    expect(hours).toHaveLength(1)
    expect(hours[0]).toMatchObject({
      model: '',
      group_id: '',
      requests: 3,
      errors: 3,
      cost_nano: 0n,
    })
  })

  test('a journal line of version 0.1 counts too, with the tokens of its entry', async () => {
    const engine = await open()
    const { requestId } = recordAt(noon)
    await engine.db
      .insertInto('entry')
      .values({
        request_id: requestId,
        account_id: 'acme',
        key_id: 'k1',
        lease_id: 'l',
        price_version_id: 'p',
        factor_micro: 1_000_000,
        cost_nano: 7n,
        input_tokens: 10,
        cache_read_tokens: 20,
        cache_write_5m_tokens: 30,
        cache_write_1h_tokens: 40,
        output_tokens: 50,
        reasoning_tokens: 5,
        usage_source: 'upstream',
        flags: '',
      })
      .execute()
    const [row = ['usage-2']] = usageRecords(recordAt(noon, { requestId }))
    const [, ...values] = row
    const old = JSON.stringify([['usage-1', ...values.slice(0, 18)]])
    await engine.applyRecords([old, old])
    await engine.applyRecords([old])
    await engine.applyRecords([textOf(recordAt(noon))])
    expect(await hoursOf(engine)).toMatchObject([
      { requests: 2, input_tokens: 20, reasoning_tokens: 10, cost_nano: 14n, first_tokens: 2 },
    ])
  })

  test('rows deleted by retention are not counted again when an old journal is shipped', async () => {
    const engine = await open()
    const old = textOf(recordAt(noon))
    await engine.applyRecords([old, textOf(recordAt(noon + 2 * hourMs))])
    const before = await hoursOf(engine)
    expect(await sweepUsage(engine, noon + hourMs)).toMatchObject({ rows: 1, isDone: true })
    await engine.applyRecords([old])
    expect(await hoursOf(engine)).toEqual(before)
    // A shorter retention does not reopen the hours.
    await sweepUsage(engine, noon - hourMs)
    await engine.db.deleteFrom('usage_row').execute()
    await engine.applyRecords([old])
    expect(await hoursOf(engine)).toEqual(before)
  })

  test('an existing log gets its sums', async () => {
    const engine = await fixture.open(await fixture.freshUrl())
    const [foundation, protocols] = migrations
    if (!foundation || !protocols) throw new Error('the first migrations are missing')
    await migrate(engine, [foundation, protocols], 1)
    const row = { ...usageRow, group_id: 'default', cost_nano: 7n, total_ms: 9 }
    const times = [noon, noon + 1, noon + hourMs]
    const rows = times.map((at) => ({ ...row, at, request_id: newRequestId(at) }))
    await engine.db.insertInto('usage_row').values(rows).execute()
    await migrate(engine, migrations, 2)
    const expected = [{ hour: noon, requests: 2, total_ms: 18, cost_nano: 14n }, { requests: 1 }]
    expect(await hoursOf(engine)).toMatchObject(expected)
    expect(await countRows(engine)).toBe(3)
    await engine.defineShapes(usageShapes)
    await engine.applyRecords([textOf(recordAt(noon))])
    expect((await hoursOf(engine))[0]).toMatchObject({ requests: 3, first_tokens: 1 })
  })
})
