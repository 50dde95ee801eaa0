import { othersName, type SumCell } from './sum-cells.ts'
import { addSums } from './sums.ts'

/** Names with their cells, the most expensive first, then the most active; the others last. */
export function rankCells(cells: readonly SumCell[]): [id: string, cells: SumCell[]][] {
  const byName = [...Map.groupBy(cells, (cell) => cell.name)]
  const weighed = byName.map(([id, own]) => ({ id, own, sum: addSums(own) }))
  weighed.sort((left, right) => {
    if (left.id === othersName || right.id === othersName) return left.id === othersName ? 1 : -1
    const difference = right.sum.cost_nano - left.sum.cost_nano
    if (difference !== 0n) return difference > 0n ? 1 : -1
    return right.sum.requests - left.sum.requests || (left.id < right.id ? -1 : 1)
  })
  return weighed.map(({ id, own }) => [id, own])
}
