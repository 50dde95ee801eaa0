import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type RawBuilder, sql } from 'kysely'
import type { SeriesBy } from '../../../src/console-api/contract.ts'
import { collectSums } from '../../../src/console-api/handlers/usage/collect-sums.ts'
import { sumByOwner } from '../../../src/console-api/handlers/usage/sum-by-owner.ts'
import { othersName, type SumCell } from '../../../src/console-api/handlers/usage/sum-cells.ts'
import { usageFilters } from '../../../src/console-api/handlers/usage/usage-filters.ts'
import { newRequestId } from '../../../src/core/id.ts'
import { noUsage } from '../../../src/core/money/usage.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { sweepUsage } from '../../../src/usage/sweep-usage.ts'
import type { UsageRecord } from '../../../src/usage/usage-record.ts'
import { usageRecords } from '../../../src/usage/usage-records.ts'
import { usageShapes } from '../../../src/usage/usage-shapes.ts'
import { repeats } from '../../support/repeats.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { readUsageQuery } from '../../support/store/read-usage-query.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const monday = Date.UTC(2026, 8, 7)
const everybody = { accountIds: undefined }

const record: fc.Arbitrary<UsageRecord> = fc
  .record({
    at: fc.integer({ min: monday, max: monday + 4 * dayMs }),
    key: fc.integer({ min: 0, max: 7 }),
    model: fc.constantFrom('small', 'large', undefined),
    protocol: fc.constantFrom('messages', 'responses'),
    groupId: fc.constantFrom('default', 'premium', undefined),
    isStream: fc.boolean(),
    outcome: fc.constantFrom([200], [200, 'interrupted'], [200, 'explained'], [429, 'too_many']),
    cost: fc.integer({ min: 0, max: 1_000_000 }),
    firstTokenMs: fc.constantFrom(undefined, 5, 700),
  })
  .map(({ at, key, outcome, cost, ...rest }) => ({
    ...rest,
    requestId: newRequestId(at),
    at,
    accountId: `a${key % 3}`,
    keyId: `k${key}`,
    status: Number(outcome[0]),
    reason: outcome[1] === undefined ? undefined : String(outcome[1]),
    costNano: BigInt(cost),
    totalMs: cost % 977,
    clientAddress: '',
    clientRequestId: undefined,
    upstreamId: undefined,
    upstreamRequestId: undefined,
    warnings: [],
    attempts: [],
  }))

/** Times are whole hours, because there are no entries that partial hours could take their tokens from. */
const question = fc.record({
  from: fc.integer({ min: -2, max: 60 }),
  hours: fc.integer({ min: 1, max: 100 }),
  by: fc.constantFrom<SeriesBy | undefined>(
    undefined,
    'model',
    'group',
    'protocol',
    'key',
    'account',
  ),
  stepMs: fc.constantFrom(undefined, hourMs, dayMs),
  model: fc.constantFrom(undefined, 'small'),
  protocol: fc.constantFrom(undefined, 'messages'),
  group: fc.constantFrom(undefined, 'premium'),
  status: fc.constantFrom(undefined, 'error', 'ok', '429', '200'),
  stream: fc.constantFrom(undefined, 'true', 'false'),
})

type Question = typeof question extends fc.Arbitrary<infer Asked> ? Asked : never

const textOf = (each: UsageRecord) =>
  JSON.stringify(usageRecords(each, { ...noUsage, output: each.totalMs }))

/** The index of the queue time, which the former shape did not have: after its name and 21 columns. */
const queuedAt = 22

/** The record of the version before requests could wait. */
const thirdTextOf = (each: UsageRecord) =>
  JSON.stringify(
    usageRecords(each, { ...noUsage, output: each.totalMs }).map((row) =>
      row[0] === 'usage-4'
        ? ['usage-3', ...row.slice(1, queuedAt), ...row.slice(queuedAt + 1)]
        : row,
    ),
  )

function queryOf(asked: Question): URLSearchParams {
  const { model, protocol, group, status, stream } = asked
  const fromMs = monday + asked.from * hourMs
  const query = new URLSearchParams({
    from: String(fromMs),
    to: String(fromMs + asked.hours * hourMs),
  })
  for (const [name, value] of Object.entries({ model, protocol, group, status, stream })) {
    if (value !== undefined) query.set(name, value)
  }
  return query
}

/** Sums have no model for a request without a group; the rows, which are read for these queries, have one. */
function isOfRows({ by, status, stream }: Question): boolean {
  return (by === 'key' || by === 'account') && (status !== undefined || stream !== undefined)
}

function isMeant(each: UsageRecord, asked: Question): boolean {
  const fromMs = monday + asked.from * hourMs
  const { status, stream } = asked
  return (
    each.at >= fromMs &&
    each.at < fromMs + asked.hours * hourMs &&
    (asked.model === undefined ||
      (each.model === asked.model && (each.groupId !== undefined || isOfRows(asked)))) &&
    (asked.protocol === undefined || each.protocol === asked.protocol) &&
    (asked.group === undefined || each.groupId === asked.group) &&
    (stream === undefined || each.isStream === (stream === 'true')) &&
    (status === undefined ||
      (status === 'error' && hasFailed(each)) ||
      (status === 'ok' && !hasFailed(each)) ||
      Number(status) === each.status)
  )
}

/** An explained request has a word in the column of the reason. */
function hasFailed({ reason }: UsageRecord): boolean {
  return reason !== undefined && reason !== 'explained'
}

function nameIn(each: UsageRecord, by: SeriesBy | undefined): string {
  if (by === undefined) return ''
  if (by === 'model') return each.groupId === undefined ? '' : (each.model ?? '')
  const names = { key: each.keyId, account: each.accountId, protocol: each.protocol }
  return by === 'group' ? (each.groupId ?? '') : names[by]
}

/** The sums of each step and name as text, so that the comparison shows missing and extra ones. */
function expectedOf(records: readonly UsageRecord[], asked: Question): string[] {
  const meant = records.filter((each) => isMeant(each, asked))
  const groups = Map.groupBy(meant, (each) => {
    const bucket = asked.stepMs === undefined ? 0 : each.at - (each.at % asked.stepMs)
    return `${bucket} ${nameIn(each, asked.by)}`
  })
  return [...groups]
    .map(([place, own]) => {
      const cost = own.reduce((sum, each) => sum + each.costNano, 0n)
      const errors = own.filter(hasFailed).length
      const firstMs = own.reduce((sum, each) => sum + (each.firstTokenMs ?? 0), 0)
      return `${place}: ${own.length} ${errors} ${cost} ${firstMs}`
    })
    .sort()
}

function toldOf(cells: readonly SumCell[]): string[] {
  return cells
    .map((cell) => {
      const sums = [cell.requests, cell.errors, cell.cost_nano, cell.first_token_ms]
      return `${cell.bucket} ${cell.name}: ${sums.join(' ')}`
    })
    .sort()
}

describe.each(sharedFixtures('usage totals'))('totals over all accounts on $kind', (fixture) => {
  const open = async (): Promise<Engine> => {
    const engine = await fixture.openMigrated()
    await engine.defineShapes(usageShapes)
    return engine
  }

  test('match the rows for every query, in any batches, however often these arrive', async () => {
    const engine = await open()
    const records: UsageRecord[] = []
    const batches = fc.array(fc.array(record, { minLength: 1, maxLength: 40 }), { minLength: 1 })
    const more = fc.tuple(batches, fc.array(question, { minLength: 6, maxLength: 6 }))
    await fc.assert(
      fc.asyncProperty(more, async ([shipped, questions]) => {
        for (const batch of shipped) {
          const texts = batch.map(textOf)
          await engine.applyRecords([...texts, ...texts])
          await engine.applyRecords(texts)
          records.push(...batch)
        }
        for (const asked of questions) {
          const grouping = { by: asked.by, stepMs: asked.stepMs }
          const filters = usageFilters(readUsageQuery(queryOf(asked)))
          const { cells } = await collectSums({ ...engine }, everybody, filters, grouping)
          expect(toldOf(cells)).toEqual(expectedOf(records, asked))
        }
      }),
      { numRuns: repeats(12), endOnFailure: true },
    )
    const [hours, days, own] = await Promise.all([
      outputOf(engine, sql`usage_total WHERE span = 'hour'`),
      outputOf(engine, sql`usage_total WHERE span = 'day'`),
      outputOf(engine, sql`usage_hour`),
    ])
    const output = records.reduce((sum, each) => sum + each.totalMs, 0)
    expect([hours, days, own]).toEqual([output, output, output])
  })

  test('are exact for the keys that a sample finds; the rest is shown as others', async () => {
    const engine = await open()
    const records = fc.sample(record, { seed: 7, numRuns: repeats(600) })
    await engine.applyRecords(records.map(textOf))
    for (const by of ['key', 'account'] as const) {
      for (const stepMs of [undefined, hourMs, dayMs]) {
        const cells = await sumByOwner(engine, {
          scope: everybody,
          filters: usageFilters(readUsageQuery(queryOf(all))),
          grouping: { by, stepMs, namesMax: 2 },
          firstHour: monday,
          endHour: monday + 5 * dayMs,
        })
        const dearest = dearestOf(records, by, 2)
        const own = records.filter((each) => dearest.has(nameIn(each, by)))
        const told = cells.filter((cell) => cell.name !== othersName)
        expect(toldOf(told)).toEqual(expectedOf(own, { ...all, by, stepMs }))
        const rest = cells.filter((cell) => cell.name === othersName)
        const others = records.filter((each) => !own.includes(each))
        const expected = expectedOf(others, { ...all, stepMs })
        expect(toldOf(rest.map((cell) => ({ ...cell, name: '' })))).toEqual(expected)
      }
    }
  })

  test('an existing log gets totals, including hours with deleted rows', async () => {
    const engine = await fixture.open(await fixture.freshUrl())
    await migrate(
      engine,
      migrations.filter(({ id }) => id < '0007'),
      1,
    )
    const usage = usageShapes.find((shape) => shape.name === 'usage-3')
    if (!usage?.tallies) throw new Error('the shape of the log has no sums')
    // The previous version, without totals over all accounts.
    await engine.defineShapes([{ ...usage, tallies: usage.tallies.slice(0, 1) }])
    const records = fc.sample(record, { seed: 3, numRuns: repeats(200) })
    await engine.applyRecords(records.map(thirdTextOf))
    const before = monday + 30 * hourMs
    await sweepUsage(engine, before)
    await migrate(engine, migrations, 2)
    for (const by of [undefined, 'model', 'group', 'protocol'] as const) {
      const asked = { ...all, by, stepMs: dayMs }
      const filters = usageFilters(readUsageQuery(queryOf(asked)))
      const { cells } = await collectSums(engine, everybody, filters, { by, stepMs: dayMs })
      expect(toldOf(cells)).toEqual(expectedOf(records, asked))
    }
    // The outcome of requests whose rows were deleted is unknown; later requests have it.
    for (const status of ['error', 'ok', '200'] as const) {
      for (const stepMs of [undefined, hourMs, dayMs]) {
        const late: Question = { ...all, from: 30, status, stepMs }
        const filters = usageFilters(readUsageQuery(queryOf(late)))
        const { cells } = await collectSums(engine, everybody, filters, { by: undefined, stepMs })
        expect(toldOf(cells)).toEqual(expectedOf(records, late))
      }
    }
    // Rows that an old journal brings back are not counted twice.
    await engine.defineShapes(usageShapes)
    await engine.applyRecords(records.map(textOf))
    const again = await collectSums(engine, everybody, usageFilters(readUsageQuery(queryOf(all))), {
      by: undefined,
      stepMs: undefined,
    })
    expect(again.cells[0]?.requests).toBe(records.length)
  })
})

const all: Question = {
  from: 0,
  hours: 5 * 24,
  by: undefined,
  stepMs: undefined,
  model: undefined,
  protocol: undefined,
  group: undefined,
  status: undefined,
  stream: undefined,
}

async function outputOf({ db }: Engine, source: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ output: number }>`
    SELECT CAST(SUM(output_tokens) AS BIGINT) AS output FROM ${source}`.execute(db)
  return rows[0]?.output ?? 0
}

function dearestOf(
  records: readonly UsageRecord[],
  by: 'key' | 'account',
  count: number,
): Set<string> {
  const groups = Map.groupBy(records, (each) => nameIn(each, by))
  const costs = [...groups].map(([name, own]) => ({
    name,
    cost: own.reduce((sum, each) => sum + each.costNano, 0n),
  }))
  costs.sort((left, right) => (left.cost < right.cost ? 1 : -1))
  return new Set(costs.slice(0, count).map((each) => each.name))
}
