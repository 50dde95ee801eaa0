import { Fault } from '../../core/fault.ts'
import { type JsonObject, objectAt, parseJson, stringAt } from '../../wire/json.ts'
import { firstObject, firstText, messageOfStatus, silentErrorMessage } from '../fault-message.ts'
import { readWaitInDetails, readWaitInText } from '../reported-wait.ts'

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** The HTTP status of an error inside a stream. Any other error is a fault of the upstream. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  overloaded_error: 529,
}

export function encodeFault(fault: Fault, requestId: string): JsonObject {
  const type = types[fault.status] ?? (fault.status >= 500 ? 'api_error' : 'invalid_request_error')
  return {
    type: 'error',
    error: { type, message: fault.message, details: detailsOf(fault) },
    request_id: requestId,
  }
}

export function encodeFaultEvent(fault: Fault, requestId: string): string {
  return `event: error\ndata: ${JSON.stringify(encodeFault(fault, requestId))}\n\n`
}

/** On this code, the protocol's own client continues with the whole conversation. */
function detailsOf(fault: Fault): JsonObject {
  const { resetsAt, limit } = fault.details
  if (fault.code === 'invalid_request' && fault.details.param === 'thread') {
    return { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
  }
  return {
    error_code: fault.code,
    ...(resetsAt === undefined ? {} : { resets_at: resetsAt }),
    ...(limit ? { limit: limit.name } : {}),
  }
}

/**
 * An upstream's refusal with its own message: Anthropic's shape, that of its edge, and those of clouds that host it.
 */
export function readFault(status: number, bodyText: string): Fault {
  return faultOfBody(status, parseJson(bodyText), messageOfStatus(status))
}

/** The error in an event of a stream, or in a reply that replaces a message. */
export function readStreamFault(value: unknown): Fault {
  const type = stringAt(errorIn(firstObject(value) ?? {}), 'type')
  const status = (type === undefined ? undefined : statuses[type]) ?? 502
  return faultOfBody(status, value, silentErrorMessage)
}

function faultOfBody(status: number, value: unknown, defaultMessage: string): Fault {
  const body = firstObject(value) ?? {}
  const error = errorIn(body)
  const message = firstText(error['message'], body['error'], body['message'], body['detail'])
  const retryAfterSeconds = readWaitInText(status, message) ?? readWaitInDetails(error['details'])
  return new Fault(
    status >= 400 && status < 500 ? 'upstream_rejected' : 'upstream_error',
    message ?? defaultMessage,
    {
      status,
      isSilent: message === undefined,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      upstream: {
        status,
        type: firstText(error['type'], error['status']),
        code: firstText(objectAt(error, 'details')?.['error_code'], error['code']),
        param: firstText(error['param']),
      },
    },
  )
}

function errorIn(body: JsonObject): JsonObject {
  return objectAt(body, 'error') ?? body
}
