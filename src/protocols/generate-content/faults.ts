import type { Fault } from '../../core/fault.ts'
import type { JsonObject } from '../../wire/json.ts'

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}
const errorInfo = 'type.googleapis.com/google.rpc.ErrorInfo'

export function encodeFault(fault: Fault, requestId: string): JsonObject {
  const status = statuses[fault.status] ?? (fault.status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')
  const metadata = {
    requestId,
    ...(fault.details.param === undefined ? {} : { field: fault.details.param }),
  }
  const details: JsonObject[] = [
    { '@type': errorInfo, reason: fault.code, domain: 'tollgate', metadata },
  ]
  // Google's own clients look for this reason when a key is refused.
  if (fault.status === 401) {
    details.push({ '@type': errorInfo, reason: 'API_KEY_INVALID', domain: 'googleapis.com' })
  }
  return { error: { code: fault.status, message: fault.message, status, details } }
}

export function encodeFaultEvent(fault: Fault, requestId: string): string {
  return `data: ${JSON.stringify(encodeFault(fault, requestId))}\n\n`
}
