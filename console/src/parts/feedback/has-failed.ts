/**
 * Whether a query has nothing to show because it failed. A retry clears the error of such a query, so the number of
 * errors decides: the page does not change back to its placeholders at every retry.
 */
export function hasFailed(query: {
  readonly data: unknown
  readonly errorUpdateCount: number
}): boolean {
  return query.data === undefined && query.errorUpdateCount > 0
}
