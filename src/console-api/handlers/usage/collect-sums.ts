import { firstRequestIdAt } from '../../../core/id.ts'
import type { Engine } from '../../../store/engine.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'
import type { Scope } from '../../routes/route.ts'
import { ownersOf } from './owners-of.ts'
import { reuseSlow } from './reuse-slow.ts'
import type { UsageOwner } from './row-range.ts'
import { sumByOwner } from './sum-by-owner.ts'
import type { SumCell, SumGrouping } from './sum-cells.ts'
import { type HourRequest, sumHours } from './sum-hours.ts'
import { isOfOwner, isOverall, needsRows } from './sum-request.ts'
import { type Collected, sumRows } from './sum-rows.ts'
import type { UsageFilters } from './usage-filters.ts'

/**
 * Limit of rows that are summed where no hourly sums exist: for a rare outcome each row may be on another disk page.
 */
const rowsAddedMax = 5_000
/** Rows of a partial hour are adjacent, so more can be read. */
const edgeRowsMax = 10_000
/** This many hourly sums can be read quickly. */
const sumsMax = 50_000

/**
 * Sums what matches the filters. Hourly sums cover whole hours. Rows are read only for partial hours at both ends, or
 * for filters that the sums do not support.
 */
export async function collectSums(
  engine: Engine,
  scope: Scope,
  filters: UsageFilters,
  grouping: SumGrouping,
): Promise<Collected> {
  const owners = await ownersOf(engine, scope, filters.keyId)
  if (owners.length === 0) return { cells: [], cutAtMs: undefined }
  const request = { scope, filters, grouping }
  if (needsRows(request)) return sumRows(engine, owners, filters, grouping, rowsAddedMax)
  if (grouping.stepMs !== undefined && grouping.stepMs < hourMs) {
    return sumRows(engine, owners, filters, grouping, edgeRowsMax)
  }
  const { fromMs = 0 } = filters
  const toMs = Math.min(filters.toMs ?? always, endOfKey(owners, filters))
  const firstHour = Math.ceil(fromMs / hourMs) * hourMs
  const endHour = Math.floor(toMs / hourMs) * hourMs
  const edges: readonly Edge[] =
    firstHour >= endHour
      ? [{ owners, low: fromMs, high: toMs }]
      : [
          { owners, low: fromMs, high: firstHour },
          { owners, low: endHour, high: toMs },
          ...lastHours(owners, firstHour, endHour),
        ]
  const parts = edges
    .filter(({ low, high }) => low < high && high < always)
    .map(({ owners: some, low, high }) =>
      sumRows(
        engine,
        some,
        { ...filters, fromId: firstRequestIdAt(low), beforeId: firstRequestIdAt(high) },
        grouping,
        edgeRowsMax,
      ),
    )
  const whole =
    firstHour < endHour ? await sumWhole(engine, { ...request, firstHour, endHour }) : []
  const collected = await Promise.all(parts)
  const cuts = collected.flatMap((part) => part.cutAtMs ?? [])
  return {
    cells: [...whole, ...collected.flatMap((part) => part.cells)],
    cutAtMs: cuts.length === 0 ? undefined : Math.max(...cuts),
  }
}

const always = Number.MAX_SAFE_INTEGER

/** A part of an hour, for which rows are read. */
interface Edge {
  readonly owners: readonly UsageOwner[]
  readonly low: number
  readonly high: number
}

/** With a key there is one owner, and the hourly sums are those of the key. */
function endOfKey(owners: readonly UsageOwner[], { keyId }: UsageFilters): number {
  return (keyId === undefined ? undefined : owners[0]?.untilMs) ?? always
}

/** The hours in which keys became service keys: the hourly sums of the others are whole. */
function lastHours(owners: readonly UsageOwner[], firstHour: number, endHour: number): Edge[] {
  return owners.flatMap((owner) => {
    const { untilMs } = owner
    if (untilMs === undefined || untilMs < firstHour || untilMs >= endHour) return []
    return [{ owners: [owner], low: untilMs - (untilMs % hourMs), high: untilMs }]
  })
}

/** Sums over all accounts may be slow on a large gateway, so the result is reused for a while. */
function sumWhole(engine: Engine, request: HourRequest): Promise<readonly SumCell[]> {
  if (!isOverall(request)) return sumHours(engine, request)
  return reuseSlow(engine, cacheKeyOf(request), async () => {
    const { by, names } = request.grouping
    const isSampled = isOfOwner(by) && names === undefined && (await hasManySums(engine))
    return isSampled ? sumByOwner(engine, request) : sumHours(engine, request)
  })
}

function cacheKeyOf({ filters, grouping, firstHour, endHour }: HourRequest): string {
  const { keyId, model, group, protocol, status, isStream } = filters
  return JSON.stringify([
    keyId ?? null,
    model ?? null,
    group ?? null,
    protocol ?? null,
    status ?? null,
    isStream ?? null,
    grouping,
    firstHour,
    endHour,
  ])
}

const withManySums = new WeakSet<Engine>()

/** Whether there are too many hourly sums to read them all for one response. Their number never decreases. */
async function hasManySums(engine: Engine): Promise<boolean> {
  if (withManySums.has(engine)) return true
  const beyond = await engine.usageDb
    .selectFrom('usage_hour')
    .select('hour')
    .limit(1)
    .offset(sumsMax)
    .executeTakeFirst()
  if (beyond) withManySums.add(engine)
  return beyond !== undefined
}
