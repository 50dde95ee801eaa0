import { firstRequestIdAt } from '../../../core/id.ts'
import type { Engine } from '../../../store/engine.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'
import type { Scope } from '../../route.ts'
import { hasManySums } from './has-many-sums.ts'
import { ownersOf } from './owners-of.ts'
import { reuseSlow } from './reuse-slow.ts'
import { sumByOwner } from './sum-by-owner.ts'
import type { SumCell, SumGrouping } from './sum-cells.ts'
import { type HourRequest, sumHours } from './sum-hours.ts'
import { isOfOwner, isOverall, needsRows } from './sum-request.ts'
import { type Collected, sumRows } from './sum-rows.ts'
import type { UsageFilters } from './usage-filters.ts'

/** So many rows are added up at most where no sums do: of a rare outcome each may lie on another page of the disk. */
const rowsAddedMax = 5_000
/** The rows of a part of an hour lie beside each other. */
const edgeRowsMax = 10_000

/**
 * Adds up what the filters fit. Whole hours have been added up already; rows are read only for the parts of hours at
 * both ends, or when a filter asks for what the sums do not know.
 */
export async function collectSums(
  engine: Engine,
  scope: Scope,
  filters: UsageFilters,
  grouping: SumGrouping,
): Promise<Collected> {
  const owners = await ownersOf(engine, scope, filters.keyId)
  if (owners.length === 0) return { cells: [], cutAtMs: undefined }
  const wish = { scope, filters, grouping }
  if (needsRows(wish)) return sumRows(engine, owners, filters, grouping, rowsAddedMax)
  if (grouping.stepMs !== undefined && grouping.stepMs < hourMs) {
    return sumRows(engine, owners, filters, grouping, edgeRowsMax)
  }
  const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = filters
  const firstHour = Math.ceil(fromMs / hourMs) * hourMs
  const endHour = Math.floor(toMs / hourMs) * hourMs
  const edges =
    firstHour >= endHour
      ? [[fromMs, toMs] as const]
      : ([
          [fromMs, firstHour],
          [endHour, toMs],
        ] as const)
  const parts = edges
    .filter(([low, high]) => low < high && high < Number.MAX_SAFE_INTEGER)
    .map(([low, high]) =>
      sumRows(
        engine,
        owners,
        { ...filters, fromId: firstRequestIdAt(low), beforeId: firstRequestIdAt(high) },
        grouping,
        edgeRowsMax,
      ),
    )
  const whole = firstHour < endHour ? await sumWhole(engine, { ...wish, firstHour, endHour }) : []
  const collected = await Promise.all(parts)
  const cuts = collected.flatMap((part) => part.cutAtMs ?? [])
  return {
    cells: [...whole, ...collected.flatMap((part) => part.cells)],
    cutAtMs: cuts.length === 0 ? undefined : Math.max(...cuts),
  }
}

/** What everybody did may take longer on a large gateway; then the same answer does for a while. */
function sumWhole(engine: Engine, request: HourRequest): Promise<readonly SumCell[]> {
  if (!isOverall(request)) return sumHours(engine, request)
  return reuseSlow(engine, describeWish(request), async () => {
    const { by, names } = request.grouping
    const isSampled = isOfOwner(by) && names === undefined && (await hasManySums(engine))
    return isSampled ? sumByOwner(engine, request) : sumHours(engine, request)
  })
}

function describeWish({ filters, grouping, firstHour, endHour }: HourRequest): string {
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
