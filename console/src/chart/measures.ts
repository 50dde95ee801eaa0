import type { SeriesPoint } from '../../../src/console-api/contract.ts'
import { formatCount } from '../format/counts.ts'
import { shortDollars } from '../format/dollars.ts'

export const measures = ['cost', 'requests', 'tokens', 'errors'] as const
export type Measure = (typeof measures)[number]

const nanoPerDollar = 1e9

/** Floating point is enough for drawing. The tables show exact amounts. */
export function measureOf(point: SeriesPoint, measure: Measure): number {
  return measure === 'cost' ? Number(point.costNano) / nanoPerDollar : point[measure]
}

export function formatMeasure(value: number, measure: Measure): string {
  return measure === 'cost' ? shortDollars(value) : formatCount(Math.round(value))
}
