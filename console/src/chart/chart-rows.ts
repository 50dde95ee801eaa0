import type { UsageSeries } from '../../../src/console-api/contract.ts'
import { type Measure, measureOf } from './measures.ts'

export const stepMs = { minutes: 300_000, hour: 3_600_000, day: 86_400_000 } as const
/** Limit of points in a chart. A longer period has longer steps. */
const rowsMax = 800

export type ChartRow = Readonly<Record<string, number | string>> & { readonly at: number }

/** The chart library reads a dot in a key as a path, and model names contain dots. */
export const seriesKey = (index: number) => `s${index}`

/** One row per step, including steps without requests. */
export function chartRows(series: UsageSeries, measure: Measure): ChartRow[] {
  const step = stepMs[series.step]
  const keys = new Map(series.names.map(({ id }, index) => [id, seriesKey(index)]))
  const rows = new Map<number, Record<string, number> & { at: number }>()
  const first = series.from - (series.from % step)
  for (let at = first; at < series.to && rows.size < rowsMax; at += step) {
    const row: Record<string, number> & { at: number } = { at }
    for (const key of keys.values()) row[key] = 0
    rows.set(at, row)
  }
  for (const point of series.points) {
    const row = rows.get(point.at - (point.at % step))
    const key = keys.get(point.id)
    if (row && key !== undefined) row[key] = (row[key] ?? 0) + measureOf(point, measure)
  }
  return [...rows.values()]
}
