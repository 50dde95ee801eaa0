import type { Engine } from '../../../store/engine.ts'
import { nominateOwners } from './nominate-owners.ts'
import { rankCells } from './rank-cells.ts'
import { othersName, type SumCell } from './sum-cells.ts'
import { type HourRequest, sumHours } from './sum-hours.ts'
import { addSums, subtractSums } from './sums.ts'

/** So many are added up exactly for each that is told apart. */
const nomineesPerName = 3
const nomineesMax = 40

/**
 * What everybody did, by key or account, without a look at each of a million: the sums of those who are nominated are
 * read one by one, and what is left of everybody's is the others'. All figures are exact; only who is told apart was
 * found by a sample.
 */
export async function sumByOwner(engine: Engine, request: HourRequest): Promise<SumCell[]> {
  const { by, stepMs, namesMax = 0 } = request.grouping
  const names = await nominateOwners(
    engine,
    request,
    Math.max(namesMax, Math.min(namesMax * nomineesPerName, nomineesMax)),
  )
  const own = await sumHours(engine, { ...request, grouping: { by, stepMs, names } })
  // Sums only ever grow, so what is read later has all of what was read before.
  const all = await sumHours(engine, { ...request, grouping: { by: undefined, stepMs } })
  const told = rankCells(own)
    .slice(0, namesMax)
    .flatMap(([, cells]) => cells)
  const toldIn = Map.groupBy(told, (cell) => cell.bucket)
  const others = all.map((cell) => ({
    ...subtractSums(cell, addSums(toldIn.get(cell.bucket) ?? [])),
    bucket: cell.bucket,
    name: othersName,
  }))
  return [...told, ...others.filter((cell) => cell.requests > 0)]
}
