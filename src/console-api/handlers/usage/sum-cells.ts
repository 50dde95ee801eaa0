import { type RawBuilder, sql } from 'kysely'
import type { SeriesBy } from '../../contract.ts'
import type { SumRow } from './sums.ts'

/** Sums of one name in one step. */
export interface SumCell extends SumRow {
  readonly bucket: number
  readonly name: string
}

export interface SumGrouping {
  readonly by: SeriesBy | undefined
  /** Undefined: one bucket for the whole period. */
  readonly stepMs: number | undefined
  /** Limit of names, the most expensive first; the others are summed as `othersName`. */
  readonly namesMax?: number
  /** Only these names, without the others. */
  readonly names?: readonly string[]
}

export const othersName = '*'

export const columnOf = {
  model: 'model',
  key: 'key_id',
  group: 'group_id',
  protocol: 'protocol',
  account: 'account_id',
} as const

export function bucketOf({ stepMs }: SumGrouping, time: RawBuilder<unknown>): RawBuilder<number> {
  if (stepMs === undefined) return sql<number>`0`
  return sql<number>`${time} - ${time} % ${sql.lit(stepMs)}`
}

export function sumOf(value: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`CAST(COALESCE(SUM(${value}), 0) AS BIGINT)`
}
