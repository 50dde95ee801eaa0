import { firstRequestIdAt } from '../../../core/id.ts'
import type { Engine } from '../../../store/engine.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'
import type { Scope } from '../../route.ts'
import { ownersOf } from './owners-of.ts'
import { reuseSlow } from './reuse-slow.ts'
import type { Grouping, SumCell } from './sum-cells.ts'
import { type HourWish, sumHours } from './sum-hours.ts'
import { type Collected, sumRows } from './sum-rows.ts'
import { needsRows, type UsageFilters } from './usage-filters.ts'

/**
 * Adds up what the filters fit. Whole hours have been added up already; rows are read only for the parts of hours at
 * both ends, or when a filter asks for what the sums do not know.
 */
export async function collectSums(
  engine: Engine,
  scope: Scope,
  filters: UsageFilters,
  grouping: Grouping,
): Promise<Collected> {
  const owners = await ownersOf(engine, scope, filters.keyId)
  if (owners.length === 0) return { cells: [], cutAtMs: undefined }
  if (needsRows(filters)) return sumRows(engine, owners, filters, grouping)
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
      ),
    )
  const whole =
    firstHour < endHour
      ? await sumWhole(engine, { scope, filters, grouping, firstHour, endHour })
      : []
  const collected = await Promise.all(parts)
  const cuts = collected.flatMap((part) => part.cutAtMs ?? [])
  return {
    cells: [...whole, ...collected.flatMap((part) => part.cells)],
    cutAtMs: cuts.length === 0 ? undefined : Math.max(...cuts),
  }
}

/** Only what everybody did takes long on a large gateway; then the same answer does for a while. */
function sumWhole(engine: Engine, wish: HourWish): Promise<readonly SumCell[]> {
  if (wish.scope.accountIds !== undefined) return sumHours(engine, wish)
  return reuseSlow(engine, describeWish(wish), () => sumHours(engine, wish))
}

function describeWish({ filters, grouping, firstHour, endHour }: HourWish): string {
  const { keyId, model, group, protocol } = filters
  return JSON.stringify([keyId, model, group, protocol, grouping, firstHour, endHour])
}
