import type { Engine } from '../../../store/engine.ts'
import type { Mover, SeriesBy } from '../../contract.ts'
import type { Scope } from '../../routes/route.ts'
import { collectSums } from '../usage/collect-sums.ts'
import { namesOf } from '../usage/names-of.ts'
import { othersName, type SumCell } from '../usage/sum-cells.ts'
import { addSums } from '../usage/sums.ts'
import type { UsageFilters } from '../usage/usage-filters.ts'

const moversMax = 6

interface MoverPeriod {
  readonly filters: UsageFilters
  /** The most expensive cells. */
  readonly cells: readonly SumCell[]
}

/** Names whose cost changed most since the previous period. */
export async function findMovers(
  engine: Engine,
  scope: Scope,
  by: SeriesBy,
  periods: { readonly now: MoverPeriod; readonly before: MoverPeriod },
): Promise<Mover[]> {
  const ids = new Set([...periods.now.cells, ...periods.before.cells].map((cell) => cell.name))
  ids.delete(othersName)
  ids.delete('')
  if (ids.size === 0) return []
  // A name may be among the most expensive in only one of the two periods.
  const sumsOf = async ({ filters, cells }: MoverPeriod) => {
    const known = new Set(cells.map((cell) => cell.name))
    const names = known.has(othersName) ? [...ids].filter((id) => !known.has(id)) : []
    const grouping = { by, stepMs: undefined, names }
    const more =
      names.length === 0 ? [] : (await collectSums(engine, scope, filters, grouping)).cells
    return [...cells, ...more]
  }
  const [now, before] = await Promise.all([sumsOf(periods.now), sumsOf(periods.before)])
  const nowBy = Map.groupBy(now, (cell) => cell.name)
  const beforeBy = Map.groupBy(before, (cell) => cell.name)
  const pairs = [...ids]
    .map((id) => {
      const own = addSums(nowBy.get(id) ?? [])
      const former = addSums(beforeBy.get(id) ?? [])
      const difference = own.cost_nano - former.cost_nano
      return { id, own, former, size: difference < 0n ? -difference : difference }
    })
    .filter(({ size }) => size > 0n)
    .sort((left, right) => {
      if (left.size !== right.size) return left.size < right.size ? 1 : -1
      return left.id < right.id ? -1 : 1
    })
    .slice(0, moversMax)
  const names = await namesOf(
    engine,
    by,
    pairs.map(({ id }) => id),
  )
  return pairs.map(({ id, own, former }) => ({
    id,
    name: names.get(id) ?? id,
    costNano: String(own.cost_nano),
    costBeforeNano: String(former.cost_nano),
    requests: own.requests,
    requestsBefore: former.requests,
    errors: own.errors,
    errorsBefore: former.errors,
  }))
}
