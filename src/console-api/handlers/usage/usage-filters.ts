import { firstRequestIdAt } from '../../../core/id.ts'
import type { ReadUsageQuery } from '../../contract/usage-query.ts'

/** Filters of the log; undefined means no restriction. */
export interface UsageFilters {
  readonly keyId: string | undefined
  readonly model: string | undefined
  readonly protocol: string | undefined
  readonly group: string | undefined
  /** A status, `error` for every failed request, or `ok` for the others. */
  readonly status: number | 'error' | 'ok' | undefined
  readonly isStream: boolean | undefined
  readonly minCostNano: bigint | undefined
  readonly maxCostNano: bigint | undefined
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
  /** Prefix of the request id. */
  readonly idStart: string | undefined
  /** Lower bound of request ids, inclusive; ids sort by time. */
  readonly fromId: string | undefined
  /** Upper bound of request ids, exclusive: the end of the period, or the last row of the previous page. */
  readonly beforeId: string | undefined
}

/** Sorts after all hexadecimal digits. */
const pastLastDigit = 'g'

export function usageFilters(query: ReadUsageQuery): UsageFilters {
  const { from: fromMs, to: toMs, request: idStart } = query
  const lows = [fromMs === undefined ? undefined : firstRequestIdAt(fromMs), idStart]
  const highs = [
    toMs === undefined ? undefined : firstRequestIdAt(toMs),
    idStart === undefined ? undefined : idStart + pastLastDigit,
    query.before,
  ]
  return {
    keyId: query.key,
    model: query.model,
    protocol: query.protocol,
    group: query.group,
    status: query.status,
    isStream: query.stream,
    minCostNano: query.minCost,
    maxCostNano: query.maxCost,
    fromMs,
    toMs,
    idStart,
    fromId: lows
      .filter((id) => id !== undefined)
      .sort()
      .at(-1),
    beforeId: highs.filter((id) => id !== undefined).sort()[0],
  }
}
