import { firstRequestIdAt } from '../../core/id.ts'
import type { Period, PeriodPart } from './statement-balance.ts'

/** Request ids from `lowId` up to but not including `highId`: the requests of a period of time. */
export interface IdRange {
  readonly part: PeriodPart
  /** The day, for ranges within the period. */
  readonly day: string
  readonly lowId: string
  readonly highId: string
}

const dayMs = 86_400_000
/** Earlier days are combined, because no one reads a line for each day of more than ten years. */
export const statementDaysMax = 3_660
const firstOfAll = ''
const afterAll = 'zzzz'

/**
 * Ranges that cover all possible request ids without a gap: one for each UTC day of the period, one for everything
 * before it and one for everything after it. A period without a start or end is open on that side.
 */
export function idRanges({ fromMs, toMs }: Period, sinceMs: number, nowMs: number): IdRange[] {
  const endMs = toMs ?? nowMs + dayMs
  const startMs = Math.max(fromMs ?? Math.min(sinceMs, endMs), endMs - statementDaysMax * dayMs)
  const ranges: IdRange[] = []
  if (fromMs !== undefined) {
    ranges.push({ part: 'before', day: '', lowId: firstOfAll, highId: firstIdFrom(fromMs) })
  }
  let lowId = fromMs === undefined ? firstOfAll : firstIdFrom(fromMs)
  for (let atMs = startMs; atMs < endMs; ) {
    const nextMs = Math.min((Math.floor(atMs / dayMs) + 1) * dayMs, endMs)
    const isLast = nextMs >= endMs && toMs === undefined
    const highId = isLast ? afterAll : firstIdFrom(nextMs)
    ranges.push({ part: 'within', day: new Date(atMs).toISOString().slice(0, 10), lowId, highId })
    lowId = highId
    atMs = nextMs
  }
  if (toMs !== undefined) {
    ranges.push({ part: 'after', day: '', lowId: firstIdFrom(toMs), highId: afterAll })
  }
  return ranges
}

/** No request id is older than 1970, whatever period is requested. */
function firstIdFrom(ms: number): string {
  return firstRequestIdAt(Math.max(0, ms))
}
