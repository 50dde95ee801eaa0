import type { SeriesPoint } from '../../../src/console-api/contract.ts'
import { nanoPerDollar } from '../../../src/console-api/contract.ts'
import { formatCount } from '../format/counts.ts'
import { shortDollars } from '../format/dollars.ts'

export const measures = ['cost', 'requests', 'tokens', 'errors'] as const
export type Measure = (typeof measures)[number]

/** Floating point is enough for drawing. The tables show exact amounts. */
export function measureOf(point: SeriesPoint, measure: Measure): number {
  return measure === 'cost' ? Number(point.costNano) / Number(nanoPerDollar) : point[measure]
}

export function formatMeasure(value: number, measure: Measure): string {
  return measure === 'cost' ? shortDollars(value) : formatCount(Math.round(value))
}
