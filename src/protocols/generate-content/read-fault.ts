import { Fault } from '../../core/fault.ts'
import { isObject, type JsonObject, parseJson, stringAt } from '../../wire/json.ts'
import { wordlessAnswer } from '../fault-words.ts'
import { filledTextOf } from './field-of.ts'

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
  return faultOf(status, errorIn(parseJson(bodyText)))
}

/** An error that an upstream reports inside an answer that began with 200. */
export function readStreamFault(chunk: JsonObject): Fault {
  const error = errorIn(chunk)
  const status = streamStatuses[stringAt(error, 'status') ?? '']
  const known = Object.values(streamStatuses).find((each) => each === error['code'])
  return faultOf(status ?? known ?? 502, error)
}

function faultOf(status: number, error: JsonObject): Fault {
  const details = Array.isArray(error['details']) ? error['details'].filter(isObject) : []
  const reason = firstText(details, 'reason')
  const reported = filledTextOf(error, 'message')
  const message = reported ?? wordlessAnswer(status)
  const isSilent = reported === undefined
  const words = {
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
      upstream: { ...words, status: 401 },
    })
  }
  const retryAfterSeconds = readDelay(details, message)
  const isCallersFault = status >= 400 && status < 500
  return new Fault(isCallersFault ? 'upstream_rejected' : 'upstream_error', message, {
    status,
    isSilent,
    upstream: words,
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

/** `retryDelay: "34.4s"`, or the same in the message. */
function readDelay(details: readonly JsonObject[], message: string): number | undefined {
  const reported = firstText(details, 'retryDelay')
  const seconds = reported
    ? Number.parseFloat(reported)
    : Number(/retry in ([\d.]+)s/.exec(message)?.[1])
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : undefined
}
