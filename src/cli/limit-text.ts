import type { LimitValues } from '../core/limits/rate-limit.ts'
import { plural } from '../core/text/plural.ts'

/** Rate limits in one cell of a table: `60 requests/min, 4 at once`. */
export function limitCell(limits: LimitValues): string {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits
  const each = [
    ...(requestsPerMinute === null ? [] : [`${plural(requestsPerMinute, 'request')}/min`]),
    ...(tokensPerMinute === null ? [] : [`${plural(tokensPerMinute, 'token')}/min`]),
    ...(concurrentRequests === null ? [] : [`${concurrentRequests} at once`]),
  ]
  return each.length === 0 ? 'none' : each.join(', ')
}
