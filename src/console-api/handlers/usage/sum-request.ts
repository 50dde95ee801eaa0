import type { SeriesBy } from '../../contract.ts'
import type { Scope } from '../../route.ts'
import type { SumGrouping } from './sum-cells.ts'
import type { UsageFilters } from './usage-filters.ts'

/** What is to be added up, and how it is told apart. */
export interface SumRequest {
  readonly scope: Scope
  readonly filters: UsageFilters
  readonly grouping: SumGrouping
}

/** Whether it is about everybody: then there are sums without accounts and keys. */
export function isOverall({ scope, filters }: Pick<SumRequest, 'scope' | 'filters'>): boolean {
  return scope.accountIds === undefined && filters.keyId === undefined
}

/** Whether names are those of keys or accounts, of which there may be a million. */
export function isOfOwner(by: SeriesBy | undefined): boolean {
  return by === 'key' || by === 'account'
}

/** Whether only the rows themselves can tell what fits: the sums know nothing of it. */
export function needsRows(request: SumRequest): boolean {
  const { status, isStream, minCostNano, maxCostNano, idStart } = request.filters
  if ([minCostNano, maxCostNano, idStart].some((each) => each !== undefined)) return true
  if (status === undefined && isStream === undefined) return false
  return !isOverall(request) || isOfOwner(request.grouping.by)
}
