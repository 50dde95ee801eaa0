import type { Engine } from '../../../store/engine.ts'
import type { SeriesBy, SeriesPoint, SeriesStep, UsageSeries } from '../../contract.ts'
import { namesOf } from './names-of.ts'
import { rankCells } from './rank-cells.ts'
import { othersName } from './sum-cells.ts'
import type { Collected } from './sum-rows.ts'
import { addSums, describeSums, meanFirstTokenMs, tokensOf } from './sums.ts'

/** More colours could not be distinguished. */
export const namesMax = 8

interface SeriesRequest {
  readonly by: SeriesBy
  readonly step: SeriesStep
  readonly period: { readonly fromMs: number; readonly toMs: number }
}

/** A chart of the most expensive names; all others are one series. */
export async function describeSeries(
  engine: Engine,
  { cells, cutAtMs }: Collected,
  { by, step, period }: SeriesRequest,
): Promise<UsageSeries> {
  const ranked = rankCells(cells)
  const mostExpensive = ranked.filter(([id]) => id !== othersName).slice(0, namesMax)
  const shown = mostExpensive.map(([id]) => id)
  const names = await namesOf(engine, by, shown)
  const kept = new Set(shown)
  const rest = ranked.filter(([id]) => !kept.has(id)).flatMap(([, own]) => own)
  return {
    by,
    step,
    from: cutAtMs ?? period.fromMs,
    to: period.toMs,
    isCut: cutAtMs !== undefined,
    names: [
      ...mostExpensive.map(([id, own]) => ({
        id,
        name: names.get(id) ?? id,
        sums: describeSums(addSums(own)),
      })),
      ...(rest.length === 0
        ? []
        : [{ id: othersName, name: othersName, sums: describeSums(addSums(rest)) }]),
    ],
    points: pointsOf(cells, (id) => (kept.has(id) ? id : othersName)),
  }
}

function pointsOf(cells: Collected['cells'], idOf: (name: string) => string): SeriesPoint[] {
  const byPlace = Map.groupBy(cells, (cell) => `${cell.bucket} ${idOf(cell.name)}`)
  const points = [...byPlace.values()].flatMap((own) => {
    const [first] = own
    if (!first) return []
    const sum = addSums(own)
    return [
      {
        at: first.bucket,
        id: idOf(first.name),
        requests: sum.requests,
        errors: sum.errors,
        tokens: tokensOf(sum),
        costNano: String(sum.cost_nano),
        firstTokenMs: meanFirstTokenMs(sum),
      },
    ]
  })
  return points.sort((left, right) => left.at - right.at || (left.id < right.id ? -1 : 1))
}
