import type { SeriesBy } from '../../contract.ts'
import type { Scope } from '../../routes/route.ts'
import type { SumGrouping } from './sum-cells.ts'
import type { UsageFilters } from './usage-filters.ts'

/** The values to sum, and how to group them. */
export interface SumRequest {
  readonly scope: Scope
  readonly filters: UsageFilters
  readonly grouping: SumGrouping
}

/** Whether the query covers everyone: then there are sums without accounts and keys. */
export function isOverall({ scope, filters }: Pick<SumRequest, 'scope' | 'filters'>): boolean {
  return scope.accountIds === undefined && filters.keyId === undefined
}

/** Whether names are keys or accounts, of which there may be a million. */
export function isOfOwner(by: SeriesBy | undefined): boolean {
  return by === 'key' || by === 'account'
}

/** Whether a filter needs the rows, because the sums do not have its field. */
export function needsRows(request: SumRequest): boolean {
  const { status, isStream, minCostNano, maxCostNano, idStart } = request.filters
  if ([minCostNano, maxCostNano, idStart].some((each) => each !== undefined)) return true
  if (status === undefined && isStream === undefined) return false
  return !isOverall(request) || isOfOwner(request.grouping.by)
}
