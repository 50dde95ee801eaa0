import { Fault } from '../../core/fault.ts'
import { openBrace } from '../../wire/char-codes.ts'
import { isObject, type JsonObject, parseJson, stringAt } from '../../wire/json.ts'
import type { SseFrame } from '../../wire/sse-framer.ts'
import { messageOfStatus, silentErrorMessage } from '../fault-message.ts'
import { readWaitInDetails, readWaitInText } from '../reported-wait.ts'
import { nonEmptyTextOf } from './values/read-field.ts'

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
  const { param, retryAfterSeconds, resetsAt, limit } = fault.details
  const metadata = {
    ...(requestId === '' ? {} : { requestId }),
    ...(param === undefined ? {} : { field: param }),
    ...(resetsAt === undefined ? {} : { resetsAt }),
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

/** The HTTP status of an error inside a stream. Every other error is a 502. */
const streamStatuses: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
}
const refusedKey = 'API_KEY_INVALID'

/** An upstream's refusal with its own message. A stream that is one JSON list has its error in a list as well. */
export function readFault(status: number, bodyText: string): Fault {
  return faultOf(status, errorIn(parseJson(bodyText)), messageOfStatus(status))
}

/** An error that an upstream reports inside an answer that began with 200. */
export function readStreamFault(chunk: JsonObject): Fault {
  const error = errorIn(chunk)
  const status = streamStatuses[stringAt(error, 'status') ?? '']
  const known = Object.values(streamStatuses).find((each) => each === error['code'])
  return faultOf(status ?? known ?? 502, error, silentErrorMessage)
}

function faultOf(status: number, error: JsonObject, defaultMessage: string): Fault {
  const details = Array.isArray(error['details']) ? error['details'].filter(isObject) : []
  const reason = firstText(details, 'reason')
  const reported = nonEmptyTextOf(error, 'message')
  const message = reported ?? defaultMessage
  const isSilent = reported === undefined
  const upstream = {
    status,
    type: stringAt(error, 'status'),
    code: reason,
    param: fieldAtFault(details),
  }
  // The service answers an unknown key with 400. The key is the gateway's own credential.
  if (reason === refusedKey) {
    return new Fault('upstream_error', message, {
      status: 502,
      isSilent,
      upstream: { ...upstream, status: 401 },
    })
  }
  const retryAfterSeconds = readWaitInDetails(details) ?? readWaitInText(status, message)
  const isCallersFault = status >= 400 && status < 500
  return new Fault(isCallersFault ? 'upstream_rejected' : 'upstream_error', message, {
    status,
    isSilent,
    upstream,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

function errorIn(body: unknown): JsonObject {
  const first: unknown = Array.isArray(body) ? body[0] : body
  if (!isObject(first)) return {}
  const error = first['error']
  if (typeof error === 'string') return { message: error }
  return isObject(error) ? error : first
}

function firstText(details: readonly JsonObject[], name: string): string | undefined {
  for (const detail of details) {
    const text = stringAt(detail, name)
    if (text !== undefined) return text
  }
  return undefined
}

function fieldAtFault(details: readonly JsonObject[]): string | undefined {
  for (const { fieldViolations } of details) {
    const first: unknown = Array.isArray(fieldViolations) ? fieldViolations[0] : undefined
    const field = isObject(first) ? stringAt(first, 'field') : undefined
    if (field) return field
  }
  return undefined
}

/** More bytes than any error description has. */
const faultBytesMax = 64 * 1024
const decoder = new TextDecoder()

/** An error that the service writes into an event stream as plain JSON, without `data:` before it. */
export function bareFault({ bytes }: SseFrame): JsonObject | undefined {
  if (bytes[0] !== openBrace || bytes.length > faultBytesMax) return undefined
  const value = parseJson(decoder.decode(bytes))
  return isObject(value) && isObject(value['error']) ? value : undefined
}
