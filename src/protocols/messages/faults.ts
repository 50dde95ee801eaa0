import type { Fault } from '../../core/fault.ts'
import type { JsonObject } from '../../wire/json.ts'

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

export function encodeFault(fault: Fault, requestId: string): JsonObject {
  const type = types[fault.status] ?? (fault.status >= 500 ? 'api_error' : 'invalid_request_error')
  return {
    type: 'error',
    error: { type, message: fault.message, details: { error_code: fault.code } },
    request_id: requestId,
  }
}

export function encodeFaultEvent(fault: Fault, requestId: string): string {
  return `event: error\ndata: ${JSON.stringify(encodeFault(fault, requestId))}\n\n`
}
