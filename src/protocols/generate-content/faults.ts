import type { Fault } from '../../core/fault.ts'
import type { JsonObject } from '../../wire/json.ts'

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}
/** One vendor's status for the condition that all others report as 503. */
const overloadedElsewhere = 529
const errorInfo = 'type.googleapis.com/google.rpc.ErrorInfo'
const quotaFailure = 'type.googleapis.com/google.rpc.QuotaFailure'
const retryInfo = 'type.googleapis.com/google.rpc.RetryInfo'

export function encodeFault(fault: Fault, requestId: string): JsonObject {
  const code = fault.status === overloadedElsewhere ? 503 : fault.status
  const status = statuses[code] ?? (code >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')
  const { param, retryAfterSeconds, limit } = fault.details
  const metadata = {
    ...(requestId === '' ? {} : { requestId }),
    ...(param === undefined ? {} : { field: param }),
  }
  const details: JsonObject[] = [
    { '@type': errorInfo, reason: fault.code, domain: 'tollgate', metadata },
  ]
  // Google's own clients look for this reason when a key is rejected.
  if (fault.status === 401) {
    details.push({ '@type': errorInfo, reason: 'API_KEY_INVALID', domain: 'googleapis.com' })
  }
  if (limit) {
    const violation = { quotaId: limit.name, quotaValue: String(limit.value) }
    details.push({ '@type': quotaFailure, violations: [violation] })
  }
  if (retryAfterSeconds !== undefined) {
    details.push({ '@type': retryInfo, retryDelay: `${retryAfterSeconds}s` })
  }
  return { error: { code, message: fault.message, status, details } }
}

/** The lines end as those of the service do. After such an event, Google's Go client misses any other line ending. */
export function encodeFaultEvent(fault: Fault, requestId: string): string {
  return `data: ${JSON.stringify(encodeFault(fault, requestId))}\r\n\r\n`
}
