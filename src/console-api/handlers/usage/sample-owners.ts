import { sql } from 'kysely'
import { firstRequestIdAt } from '../../../core/id.ts'
import type { Engine } from '../../../store/engine.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'
import { dayMs } from '../../../usage/usage-total-sql.ts'
import { rowCondition } from './row-range.ts'
import { columnOf, type SumCell } from './sum-cells.ts'
import { type HourRequest, sumHours } from './sum-hours.ts'

/** Number of pieces in the sample, with equal numbers of requests between them. */
const pieces = 20
const rowsPerPiece = 500
/** For a longer period, daily sums decide where the pieces are. */
const hourlyUpToMs = 4 * dayMs

/**
 * The keys or accounts that are likely to be the most expensive of a period: those in a sample of ten thousand
 * requests. An owner of one percent of the requests is in it about a hundred times. If the log is no larger than the
 * sample, all owners are in it.
 */
export async function sampleOwners(
  engine: Engine,
  request: HourRequest,
  count: number,
): Promise<string[]> {
  const { by } = request.grouping
  if (by === undefined || count === 0) return []
  const starts = await findStarts(engine, request)
  if (starts.length === 0) return []
  const end = firstRequestIdAt(Math.min(request.endHour, lastTimeMs))
  const parts = starts.map(
    (from, place) => sql`SELECT * FROM (
      SELECT * FROM usage_row WHERE request_id >= ${from} AND request_id < ${starts[place + 1] ?? end}
      ORDER BY request_id LIMIT ${sql.lit(rowsPerPiece)}) AS piece`,
  )
  const sample = sql<Record<string, unknown>>`(${sql.join(parts, sql` UNION ALL `)})`
  const rows = await engine.usageDb
    .selectFrom(sample.as('u'))
    .select(sql<string>`u.${sql.ref(columnOf[by])}`.as('name'))
    .where(rowCondition(request.filters) ?? sql<boolean>`1 = 1`)
    .groupBy('name')
    .orderBy(sql`SUM(u.cost_nano)`, 'desc')
    .orderBy(sql`COUNT(*)`, 'desc')
    .orderBy('name')
    .limit(count)
    .execute()
  return rows.map((row) => row.name)
}

/** The last time that a request id can represent. */
const lastTimeMs = 2 ** 48 - 1

/** Start ids of the pieces, with about the same number of requests between them. */
async function findStarts(engine: Engine, request: HourRequest): Promise<string[]> {
  const newest = await engine.usageDb
    .selectFrom('usage_row')
    .select('at')
    .orderBy('request_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!newest) return []
  const endMs = Math.min(request.endHour, newest.at + 1)
  const stepMs = endMs - request.firstHour <= hourlyUpToMs ? hourMs : dayMs
  const steps = await sumHours(engine, { ...request, grouping: { by: undefined, stepMs } })
  const inOrder = steps
    .filter((step) => step.bucket < endMs)
    .sort((left, right) => left.bucket - right.bucket)
  return [...new Set(startsOf(inOrder, { firstMs: request.firstHour, endMs, stepMs }))]
}

function* startsOf(
  steps: readonly SumCell[],
  { firstMs, endMs, stepMs }: { firstMs: number; endMs: number; stepMs: number },
): Generator<string> {
  const all = steps.reduce((sum, step) => sum + step.requests, 0)
  let passed = 0
  let piece = 0
  for (const { bucket, requests } of steps) {
    const fromMs = Math.max(bucket, firstMs)
    const lengthMs = Math.min(bucket + stepMs, endMs) - fromMs
    while (piece < pieces && (piece * all) / pieces < passed + requests) {
      const share = ((piece * all) / pieces - passed) / requests
      yield firstRequestIdAt(Math.floor(fromMs + share * lengthMs))
      piece += 1
    }
    passed += requests
  }
}
