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
/** One vendor's own status for what every other calls 503. */
const overloadedElsewhere = 529
const errorInfo = 'type.googleapis.com/google.rpc.ErrorInfo'
const retryInfo = 'type.googleapis.com/google.rpc.RetryInfo'

export function encodeFault(fault: Fault, requestId: string): JsonObject {
  const code = fault.status === overloadedElsewhere ? 503 : fault.status
  const status = statuses[code] ?? (code >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')
  const { param, retryAfterSeconds } = fault.details
  const metadata = {
    ...(requestId === '' ? {} : { requestId }),
    ...(param === undefined ? {} : { field: param }),
  }
  const details: JsonObject[] = [
    { '@type': errorInfo, reason: fault.code, domain: 'tollgate', metadata },
  ]
  // Google's own clients look for this reason when a key is refused.
  if (fault.status === 401) {
    details.push({ '@type': errorInfo, reason: 'API_KEY_INVALID', domain: 'googleapis.com' })
  }
  if (retryAfterSeconds !== undefined) {
    details.push({ '@type': retryInfo, retryDelay: `${retryAfterSeconds}s` })
  }
  return { error: { code, message: fault.message, status, details } }
}

/** Its lines end as those of the service do: behind one of these, Google's client for Go overlooks any other end. */
export function encodeFaultEvent(fault: Fault, requestId: string): string {
  return `data: ${JSON.stringify(encodeFault(fault, requestId))}\r\n\r\n`
}
