import type { Engine } from '../../../store/engine.ts'
import { rankCells } from './rank-cells.ts'
import { sampleOwners } from './sample-owners.ts'
import { othersName, type SumCell } from './sum-cells.ts'
import { type HourRequest, sumHours } from './sum-hours.ts'
import { addSums, subtractSums } from './sums.ts'

/** Number of candidates that are summed exactly per name in the result. */
const candidatesPerName = 3
const candidatesMax = 40

/**
 * Sums over all accounts by key or account, without reading a million owners: candidates from a sample are summed one
 * by one, and the remainder of the total is the others. All figures are exact; only the choice of names is sampled.
 */
export async function sumByOwner(engine: Engine, request: HourRequest): Promise<SumCell[]> {
  const { by, stepMs, namesMax = 0 } = request.grouping
  const names = await sampleOwners(
    engine,
    request,
    Math.max(namesMax, Math.min(namesMax * candidatesPerName, candidatesMax)),
  )
  const own = await sumHours(engine, { ...request, grouping: { by, stepMs, names } })
  // Sums never decrease, so the total, which is read last, includes all that was read before.
  const all = await sumHours(engine, { ...request, grouping: { by: undefined, stepMs } })
  const named = rankCells(own)
    .slice(0, namesMax)
    .flatMap(([, cells]) => cells)
  const namedByBucket = Map.groupBy(named, (cell) => cell.bucket)
  const others = all.map((cell) => ({
    ...subtractSums(cell, addSums(namedByBucket.get(cell.bucket) ?? [])),
    bucket: cell.bucket,
    name: othersName,
  }))
  return [...named, ...others.filter((cell) => cell.requests > 0)]
}
